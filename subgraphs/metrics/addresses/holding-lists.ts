import type pg from "pg";
import { readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { IS_INDEXED } from "../chains/is-indexed.ts";
import type { EvmAddress } from "./types.ts";

/** The first `size` tokens of an address that follow a cursor in the order of the list. */
export interface HoldingsKey extends EvmAddress {
  /** Values of the last item before the page in the columns of the order, separated by spaces. Empty for the first page. */
  readonly after: string;
  readonly size: number;
}

export interface Holdings<Row> extends HoldingsKey {
  /** Hash of the last indexed block, after which the address holds these tokens. */
  readonly blockHash: string;
  /** The last indexed block. */
  readonly head: string;
  /** In the order of the list. */
  readonly rows: readonly Row[];
}

/** Reads the holdings of keys in one statement for each chain. Keys of chains that are not indexed are left out. */
export type HoldingList<Row> = (keys: readonly HoldingsKey[], work: Work) => Promise<Holdings<Row>[]>;

export interface HoldingListOptions {
  /** Name of the prepared statement. */
  readonly name: string;
  /** Types of the columns of the order. The first one is the token's address. */
  readonly order: Readonly<Record<string, "bytea" | "numeric" | "text">>;
  /** SELECT of the rows of address `k` of the chain `$1` after its cursor, in order, without LIMIT. */
  readonly select: string;
}

/** Makes the function that reads a list of tokens that addresses hold. */
export function createHoldingList<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  { name, order, select }: HoldingListOptions,
): HoldingList<Row> {
  const statement = prepared<
    Row & {
      readonly request: string;
      readonly head: string;
      readonly blockHash: string;
      readonly isFound: boolean | null;
    }
  >(pool, name, holdingsStatement({ order, select }));
  const columns = Object.entries(order);
  const read = readRowsOfKeys(statement, {
    partitionOf: ({ chainId }: HoldingsKey) => chainId,
    valuesOf: (keys) => [
      keys.map(({ address }) => bytea(address)),
      ...columns.map(([, type], column) => keys.map(({ after }) => positionIn(after, column, type))),
      keys.map(({ size }) => size),
    ],
  });
  return async (keys, work) => {
    const byKey = await read(keys, work);
    return keys.flatMap((key, index) => {
      const own = byKey[index] ?? [];
      const [first] = own;
      return first
        ? [{ ...key, head: first.head, blockHash: first.blockHash, rows: own.filter(({ isFound }) => isFound) }]
        : [];
    });
  };
}

/** If an indexed chain has no row for a key, the statement returns one in which `isFound` is null. */
export function holdingsStatement({ order, select }: Pick<HoldingListOptions, "order" | "select">): string {
  const types = { address: "bytea", ...order, size: "int" };
  const arrays = Object.values(types).map((type, index) => `$${index + 2}::${type}[]`);
  return `SELECT k.request, h.block_number AS head, h.block_hash AS "blockHash", item.* FROM unnest(${arrays.join(", ")}) WITH ORDINALITY AS k(${Object.keys(types).join(", ")}, request)
  JOIN chain_heads h ON h.chain_id = $1 AND ${IS_INDEXED}
  LEFT JOIN LATERAL (${select} LIMIT k.size) item ON true`;
}

const BEFORE_ALL = { bytea: "\\x", numeric: "0", text: "" } as const;

function positionIn(after: string, column: number, type: "bytea" | "numeric" | "text"): string {
  const value = after === "" ? undefined : after.split(" ")[column];
  if (value === undefined) return BEFORE_ALL[type];
  return type === "bytea" ? bytea(value) : value;
}
