import type pg from "pg";
import { readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { prepared } from "../../../core/database/database.ts";
import type { StatementPool } from "../../../core/database/statement-pool.ts";
import type { Work } from "../../../core/work/work.ts";
import { endsOf, type Keyset, keysetOf, type Order } from "../../shared/rows/keyset.ts";
import { directedName, inBothDirections } from "../../shared/rows/list-reader.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { IS_INDEXED } from "../chains/is-indexed.ts";
import type { EvmAddress } from "./types.ts";

/** The first `size` tokens of an address that follow a cursor in a direction of the list. */
export interface HoldingsKey extends EvmAddress {
  /** Values of the item beside the page in the columns of the order, separated by spaces. Empty: the end of the list where reading begins. */
  readonly after: string;
  readonly isBackward: boolean;
  readonly size: number;
}

export interface Holdings<Row> extends HoldingsKey {
  /** Hash of the last indexed block, after which the address holds these tokens. */
  readonly blockHash: string;
  /** The last indexed block. */
  readonly head: string;
  /** In the order of the list; backward, in the opposite order. */
  readonly rows: readonly Row[];
}

/** Reads the holdings of keys in one statement for each chain. Keys of chains that are not indexed are left out. */
export type HoldingList<Row> = (keys: readonly HoldingsKey[], work: Work) => Promise<Holdings<Row>[]>;

export interface HoldingListOptions {
  /** Name of the prepared statement. */
  readonly name: string;
  /** The first column is the token's address. */
  readonly order: Order;
  /** SELECT of the rows `t` of address `k` of the chain `$1` that follow its cursor, in order, without LIMIT. */
  readonly select: (keyset: Keyset) => string;
}

/** Makes the function that reads a list of tokens that addresses hold. */
export function createHoldingList<Row extends pg.QueryResultRow>(
  pool: StatementPool,
  { name, order, select }: HoldingListOptions,
): HoldingList<Row> {
  const ends = endsOf(order);
  const readers = inBothDirections((isBackward) => {
    const text = holdingsStatement({ order, select }, isBackward);
    const first = isBackward ? ends.last : ends.first;
    return readRowsOfKeys(prepared<Row & FoundRow>(pool, directedName(name, isBackward), text), {
      partitionOf: ({ chainId }: HoldingsKey) => chainId,
      valuesOf: (keys) => [
        keys.map(({ address }) => bytea(address)),
        ...order.map(({ type }, column) => keys.map(({ after }) => valueIn(after, column, type) ?? first[column])),
        keys.map(({ size }) => size),
      ],
    });
  });
  const read = async (keys: readonly HoldingsKey[], isBackward: boolean, work: Work): Promise<Holdings<Row>[]> => {
    if (keys.length === 0) return [];
    const byKey = await readers(isBackward)(keys, work);
    return keys.flatMap((key, index) => {
      const own = byKey[index] ?? [];
      const [first] = own;
      return first
        ? [{ ...key, head: first.head, blockHash: first.blockHash, rows: own.filter(({ isFound }) => isFound) }]
        : [];
    });
  };
  return async (keys, work) => {
    const forward = await read(
      keys.filter(({ isBackward }) => !isBackward),
      false,
      work,
    );
    const backward = await read(
      keys.filter(({ isBackward }) => isBackward),
      true,
      work,
    );
    return [...forward, ...backward];
  };
}

interface FoundRow {
  readonly request: string;
  readonly head: string;
  readonly blockHash: string;
  /** Null if an indexed chain has no row for a key: the statement returns one row for it. */
  readonly isFound: boolean | null;
}

export function holdingsStatement(
  { order, select }: Pick<HoldingListOptions, "order" | "select">,
  isBackward: boolean,
): string {
  const columns = order.map(({ column }) => column);
  const types = ["bytea", ...order.map(({ type }) => type), "int"];
  const arrays = types.map((type, index) => `$${index + 2}::${type}[]`);
  const keyset = keysetOf(
    order,
    columns.map((column) => `k.${column}`),
    isBackward,
  );
  return `SELECT k.request, h.block_number AS head, h.block_hash AS "blockHash", item.* FROM unnest(${arrays.join(", ")}) WITH ORDINALITY AS k(address, ${columns.join(", ")}, size, request)
  JOIN chain_heads h ON h.chain_id = $1 AND ${IS_INDEXED}
  LEFT JOIN LATERAL (${select(keyset)} LIMIT k.size) item ON true`;
}

/** The value of a column in a cursor. Null without a cursor. */
function valueIn(after: string, column: number, type: Order[number]["type"]): string | null {
  const value = after === "" ? undefined : after.split(" ")[column];
  if (value === undefined) return null;
  return type === "bytea" ? bytea(value) : value;
}
