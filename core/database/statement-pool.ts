import type pg from "pg";
import type { PartitionId } from "./placement.ts";

/** The pools of databases that each have some of the chains, or some of the networks. */
export interface PartitionPools {
  /** The pool of the database that has this chain or network. */
  poolOf(partition: PartitionId): pg.Pool;
  /** The pools of all databases, each once. */
  readonly pools: readonly pg.Pool[];
}

/**
 * Where statements are sent: to one database, or to the database of the chain or network that a statement names by its parameter `$1`. `$1`
 * may also be a list of chains or networks. The statement is then sent to each of their databases, with the part of the list that is in it.
 */
export type StatementPool = pg.Pool | PartitionPools;

/** Values of a statement, with the pool that they are sent to. */
export interface RoutedValues {
  readonly pool: pg.Pool;
  readonly values: unknown[];
}

/** Returns a function that finds the databases of a statement by its values. */
export function routeOf(source: StatementPool): (values: unknown[]) => RoutedValues[] {
  if (!("poolOf" in source)) return (values) => [{ pool: source, values }];
  return (values) => {
    const [first, ...others] = values;
    if (!Array.isArray(first)) return [{ pool: source.poolOf(partitionOf(first)), values }];
    const groups = groupByPool(source, first.map(partitionOf));
    return groups.map(({ pool, partitions }) => ({ pool, values: [partitions, ...others] }));
  };
}

/** Chains or networks by the database that has them. An empty list has none. */
export function groupByPool<Partition extends PartitionId>(
  source: StatementPool,
  partitions: readonly Partition[],
): { readonly pool: pg.Pool; readonly partitions: Partition[] }[] {
  const groups = new Map<pg.Pool, Partition[]>();
  for (const partition of partitions) {
    const pool = poolOf(source, partition);
    const group = groups.get(pool);
    if (group) group.push(partition);
    else groups.set(pool, [partition]);
  }
  return [...groups].map(([pool, partitions]) => ({ pool, partitions }));
}

/** The pool of the database that has a chain or network. */
export function poolOf(source: StatementPool, partition: PartitionId): pg.Pool {
  return "poolOf" in source ? source.poolOf(partition) : source;
}

/** Any other value is a mistake in a statement, which would be sent to the wrong database. */
function partitionOf(value: unknown): PartitionId {
  const isId = typeof value === "bigint" || /^\d+$/.test(String(value));
  if (isId) return value as PartitionId;
  throw new TypeError(
    `the parameter $1 of a statement over several databases must be a chain or network, got ${value}`,
  );
}

/** The pools of a source, each once. */
export function poolsOf(source: StatementPool): readonly pg.Pool[] {
  return "poolOf" in source ? source.pools : [source];
}
