import type pg from "pg";
import { readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { prepared } from "../../../core/database/database.ts";
import type { StatementPool } from "../../../core/database/statement-pool.ts";
import type { Work } from "../../../core/work/work.ts";
import { readInDirections } from "../../shared/rows/directions.ts";
import { endsOf, keysetOf, type Order, of } from "../../shared/rows/keyset.ts";
import { directedName, inBothDirections } from "../../shared/rows/list-reader.ts";
import { bigint } from "../../shared/rows/text-rows.ts";
import { JOIN_MOMENT } from "../chains/is-indexed.ts";

/** A list of balances of NFTs after a block. An index of the table has the columns of `owner`, those of `order`, and the block number. */
export interface PastList {
  /** A table with the balance after each block that changed it. */
  readonly table: "nft_item_balances" | "nft_collection_balances";
  /** Columns that all items of a list share, with their types. */
  readonly owner: Readonly<Record<string, "bytea" | "numeric">>;
  /** Condition on `t` that all items of all lists fulfil. */
  readonly condition?: string;
  readonly order: Order;
}

/** A page of such a list. */
export interface PastKey {
  readonly chainId: string;
  /** Block number; null selects the last indexed block. */
  readonly blockNumber: string | null;
  /** True for the items before the position, nearest first. */
  readonly isBackward: boolean;
  readonly size: number;
}

export interface PastPage<Row> {
  /** The last indexed block. */
  readonly head: string;
  /** Hash of the block after which the balances are read; null if the block is not indexed. */
  readonly blockHash: string | null;
  /** Balances above 0. */
  readonly items: readonly Row[];
  /** The row after which the list continues, if the maximum number of candidates did not fill the page; otherwise null. */
  readonly lastCandidate: Row | null;
}

/**
 * The statement walks over everything that ever had a balance, in the order of the list: each step finds the next candidate and its balance
 * after the block, both by one place of the index, however often the balance has changed. It ends when the page is full, and after
 * `maxCandidates` steps. OFFSET 0 keeps the planner from computing a balance or a block several times.
 */
function pastStatement(
  { table, owner, condition = "true", order }: PastList,
  maxCandidates: number,
  isBackward: boolean,
): string {
  const names = order.map(({ column }) => column);
  const columns = (of: string): string => names.map((column) => `${of}.${column}`).join(", ");
  const types = [...Object.values(owner), ...order.map(({ type }) => type), "bigint", "int"];
  const arrays = types.map((type, index) => `$${index + 2}::${type}[]`).join(", ");
  const { after, orderBy } = keysetOf(order, names.map(of("w")), isBackward);
  const ofOwner = [
    "t.chain_id = $1",
    ...Object.keys(owner).map((column) => `t.${column} = k.${column}`),
    condition,
  ].join(" AND ");
  return `SELECT k.request, h.block_number AS head, m.block_hash AS "blockHash", page.*
  FROM unnest(${arrays}) WITH ORDINALITY
      AS k(${[...Object.keys(owner), ...names].join(", ")}, block_number, size, request)
    ${JOIN_MOMENT}
    LEFT JOIN LATERAL (
      WITH RECURSIVE walk(step, found, ${names.join(", ")}, balance) AS (
        SELECT 0, 0, ${columns("k")}, NULL::numeric
        UNION ALL
        SELECT w.step + 1, w.found + (held.balance > 0)::int, ${columns("candidate")}, held.balance
        FROM walk w
          CROSS JOIN LATERAL (SELECT ${columns("t")} FROM ${table} t
            WHERE ${ofOwner} AND ${after()} ORDER BY ${orderBy()} LIMIT 1) candidate
          CROSS JOIN LATERAL (SELECT coalesce((SELECT t.balance FROM ${table} t
            WHERE ${ofOwner} AND ${names.map((column) => `t.${column} = candidate.${column}`).join(" AND ")}
              AND t.block_number <= m.block_number
            ORDER BY t.block_number DESC LIMIT 1), 0) AS balance OFFSET 0) held
        WHERE w.step < ${maxCandidates} AND w.found < k.size)
      SELECT w.step, ${columns("w")}, w.balance, w.balance > 0 AS "isHeld",
        w.step = ${maxCandidates} AND w.found < k.size AS "isLast"
      FROM walk w WHERE w.balance > 0 OR w.step = ${maxCandidates}
    ) page ON m.block_number <= h.block_number
  ORDER BY k.request, page.step`;
}

interface FoundRow {
  readonly request: string;
  readonly head: string;
  readonly blockHash: string | null;
  /** These are null if the page is empty. */
  readonly isHeld: boolean | null;
  readonly isLast: boolean | null;
}

export interface PastReaderOptions<Key extends PastKey> extends PastList {
  /** Name of the prepared statement. */
  readonly name: string;
  /** The largest number of candidates that a statement considers for a page. */
  readonly maxCandidates: number;
  /** Values of the columns of `owner`, as PostgreSQL reads them. */
  readonly ownerOf: (key: Key) => readonly (string | null)[];
  /** Values of the columns of `order` of the item beside the page, as PostgreSQL reads them; null for an end of the list. */
  readonly positionOf: (key: Key) => readonly string[] | null;
}

/** Returns a function that reads pages in one statement for each chain and direction. Keys of chains that are not indexed are left out. */
export function createPastReader<Key extends PastKey, Row extends pg.QueryResultRow>(
  pool: StatementPool,
  options: PastReaderOptions<Key>,
): (keys: readonly Key[], work: Work) => Promise<(Key & PastPage<Row>)[]> {
  const { name, owner, order, maxCandidates, ownerOf, positionOf } = options;
  const ends = endsOf(order);
  const valuesOf = (keys: readonly Key[]): readonly unknown[] => {
    const owners = keys.map(ownerOf);
    const positions = keys.map((key) => positionOf(key) ?? (key.isBackward ? ends.last : ends.first));
    return [
      ...Object.keys(owner).map((_, at) => owners.map((values) => values[at])),
      ...order.map((_, at) => positions.map((values) => values[at])),
      keys.map(({ blockNumber }) => blockNumber && bigint(blockNumber)),
      keys.map(({ size }) => size),
    ];
  };
  const readers = inBothDirections((isBackward) =>
    readRowsOfKeys(
      prepared<Row & FoundRow>(
        pool,
        directedName(`${name}-${maxCandidates}`, isBackward),
        pastStatement(options, maxCandidates, isBackward),
      ),
      { partitionOf: ({ chainId }: Key) => chainId, valuesOf },
    ),
  );
  return readInDirections(readers, (key: Key, rows: readonly (Row & FoundRow)[]) => {
    const [row] = rows;
    if (!row) return [];
    const { head, blockHash } = row;
    const items = rows.filter(({ isHeld }) => isHeld);
    return [{ ...key, head, blockHash, items, lastCandidate: rows.find(({ isLast }) => isLast) ?? null }];
  });
}
