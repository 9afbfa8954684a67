import { EVM_HEAD } from "../../../core/database/database.ts";
import type { Keyset, Order } from "../../shared/rows/keyset.ts";
import type { NestedSelect } from "../../shared/rows/nested-list.ts";
import { MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import { apiName } from "../transfers/address-statement.ts";

/** A part of a list that one range of an index serves. */
export interface Part {
  /** Condition on `t` and `k`: the first columns of the index. With the order of the list, they are the whole index. */
  readonly where: string;
  /** Condition on the columns under their names in the API: rows that an earlier part has already are left out. */
  readonly unless?: string;
}

/** The key of an index by a hash of these parts: 7 bytes, with which an entry of a block number and an index in the block has 24 bytes. */
export const hashOf = (parts: readonly string[]): string => `substring(sha256(${parts.join(" || ")}) FROM 1 FOR 7)`;

/**
 * Conditions on the rows that an index by a hash (`hashOf`) has found: two keys can have the same hash. PostgreSQL does not see that they follow from the
 * hash. Outside of CASE it would multiply their selectivities, expect one row, and sort all rows of the hash to find the newest ones.
 */
export const recheck = (conditions: readonly string[]): string => `CASE WHEN ${conditions.join(" AND ")} THEN true END`;

interface RangedTable {
  readonly table: string;
  /** SELECT list. It includes every column of `order`. */
  readonly columns: string;
  /** The order of the rows of a chain, newest first; `block_number` is its first column. */
  readonly order: Order;
  /** SQL types of the columns of the key between the chain and the range. */
  readonly key: Readonly<Record<string, string>>;
  readonly parts: readonly Part[];
}

/** A SELECT of a list of a chain `$1`, with the head of the chain. */
export interface ChainSelect extends NestedSelect {
  readonly head: string;
}

/** The end of the key of a list: ranges of blocks and of times in seconds (start inclusive, end exclusive). */
const RANGE = { from_block: "bigint", to_block: "bigint", from_time: "bigint", to_time: "bigint" };

const INT = { min: "-2147483648", max: "2147483647" };

/**
 * The rows of chain `$1` in a range of blocks and times, newest first. Each part is one range of an index: it begins at the position, or
 * where the list begins, and ends with the page, or where the list ends. Times become numbers of blocks, by the index of the blocks by time.
 * A part leaves out the rows of earlier parts after its limit, never before it (see `addressRows`).
 */
export function rangedSelect({ table, columns, order, key, parts }: RangedTable): ChainSelect {
  const names = order.map(({ column }) => column);
  const rowsOf = ({ where, unless }: Part, keyset: Keyset): string => {
    const follows = `(${names.map((name) => `t.${name}`)}) ${keyset.isBackward ? ">" : "<"} (${names.map((name) => `r.${name}`)})`;
    const isInRange = keyset.isBackward ? `t.block_number < r."end"` : "t.block_number >= r.start";
    const rows = `(SELECT ${columns} FROM ${table} t WHERE t.chain_id = $1 AND ${where} AND ${follows} AND ${isInRange}
        ORDER BY ${keyset.orderBy()} LIMIT k.size + 1)`;
    return unless ? `SELECT * FROM ${rows} part WHERE ${unless}` : rows;
  };
  return {
    key: { chain_id: "bigint", ...key, ...RANGE },
    order,
    head: EVM_HEAD,
    select: (keyset) => `SELECT page.* FROM (${rangeOf(order, keyset)}) r, LATERAL (
      ${parts.map((part) => rowsOf(part, keyset)).join("\n      UNION ALL ")}
    ) page ORDER BY ${keyset.orderBy((column) => `page.${apiName(column)}`)}`,
  };
}

/**
 * One row: the first block of the list, the block after its last one, and the position that the page follows. All conditions on the start of
 * the page are in the position: PostgreSQL enters an index at one of several conditions, which need not be the strictest.
 */
function rangeOf(order: Order, { isBackward }: Keyset): string {
  const isInside = isBackward ? "k.block_number >= range.start" : `k.block_number < range."end"`;
  const block = isBackward ? "greatest(k.block_number, range.start - 1)" : `least(k.block_number, range."end")`;
  const others = order
    .slice(1)
    .map(
      ({ column }) => `CASE WHEN ${isInside} THEN k.${column} ELSE ${isBackward ? INT.max : INT.min} END AS ${column}`,
    );
  return `SELECT range.*, ${[`${block} AS block_number`, ...others].join(", ")} FROM (${BLOCKS}) range OFFSET 0`;
}

/** The first block with this time or a later one. A time that is no limit is not looked up. */
const firstBlockAt = (
  time: string,
): string => `CASE WHEN ${time} <= 0 THEN 0 WHEN ${time} = ${MAX_BIGINT} THEN ${MAX_BIGINT}
          ELSE coalesce((SELECT b.block_number FROM evm_blocks b WHERE b.chain_id = $1 AND b.block_timestamp >= ${time}
            ORDER BY b.block_timestamp, b.block_number LIMIT 1), ${MAX_BIGINT}) END`;

/** One row: the first block of the range of `k`, and the block after its last one. `OFFSET 0` keeps PostgreSQL from computing them again. */
export const BLOCKS = `SELECT greatest(k.from_block, ${firstBlockAt("k.from_time")}) AS start,
        least(k.to_block, ${firstBlockAt("k.to_time")}) AS "end" OFFSET 0`;
