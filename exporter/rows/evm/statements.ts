import { tableColumns } from "../../../core/database/table-columns.ts";
import type { EvmTransaction } from "../../../prisma/client/client.ts";
import type { RowQuery } from "../shared/cursor.ts";

type NotRead = "chainId" | "input";
/** Fields of transactions that are not read: all rows are of one chain, and of the call data a row has only the selector. */
const NOT_READ: ReadonlySet<string> = new Set<NotRead>(["chainId", "input"]);

const TRANSACTION_COLUMNS = tableColumns("evm_transactions").filter(({ field }) => !NOT_READ.has(field));

/** Columns of the rows besides those of transactions, with their SQL types. */
const OTHER_FIELDS = {
  phase: "int",
  rowIndex: "int",
  batchIndex: "int",
  rowType: "text",
  selector: "bytea",
  internalTxType: "text",
  opcode: "text",
  isReverted: "boolean",
  operator: "bytea",
  tokenAddress: "bytea",
  tokenId: "numeric",
  // Of a call, it may be larger than that of a transaction.
  gasUsed: "numeric",
} as const;

type Field = Exclude<keyof EvmTransaction, NotRead> | keyof typeof OTHER_FIELDS;

/** Columns of all row types, with their SQL types. A row type does not have all of them. */
const FIELDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(TRANSACTION_COLUMNS.map(({ field, type }) => [field, type])),
  ...OTHER_FIELDS,
};

/** A row as the cursor returns it: all texts, bytes as `\x` hex, booleans as `t` and `f`. */
export type EvmFields = { readonly [Name in Field]: string | null } & {
  readonly blockNumber: string;
  readonly blockIndex: string;
  readonly rowType: RowType;
  readonly blockHash: string;
  readonly blockTimestamp: string;
  readonly txHash: string;
  readonly from: string;
};

const ROW_TYPES = ["NATIVE", "INTERNAL", "ERC20", "ERC721", "ERC1155"] as const;
export type RowType = (typeof ROW_TYPES)[number];

type Expressions = Readonly<Partial<Record<Field, string>>>;

interface Source {
  readonly rowType: RowType;
  readonly table: string;
  /** Expressions besides those that all tables have. */
  readonly expressions: Expressions;
  readonly where?: string;
}

const SHARED: Expressions = {
  blockNumber: "t.block_number",
  blockIndex: "t.block_index",
  blockHash: "t.block_hash",
  blockTimestamp: "t.block_timestamp",
  txHash: "t.tx_hash",
  from: "t.from_address",
  to: "t.to_address",
};

const NATIVE: Source = {
  rowType: "NATIVE",
  table: "evm_transactions",
  expressions: {
    ...Object.fromEntries(TRANSACTION_COLUMNS.map(({ field, column }) => [field, `t.${column}`])),
    phase: "0",
    rowIndex: "0",
    selector: "substring(t.input, 1, 4)",
  },
};

const INTERNAL: Source = {
  rowType: "INTERNAL",
  table: "evm_internal_transactions",
  expressions: {
    phase: "1",
    rowIndex: "t.trace_index",
    value: "t.value",
    gasLimit: "t.gas_limit",
    gasUsed: "t.gas_used",
    internalTxType: "t.internal_tx_type",
    opcode: "t.opcode",
    isReverted: "t.is_reverted",
  },
  // The partial indexes by address have this condition, and so has E10.
  where: "t.internal_tx_type <> 'UNKNOWN'",
};

/** Tables of token transfers: their rows are ordered by log. */
const TRANSFERS: readonly Source[] = [
  { rowType: "ERC20", table: "erc20_transfers", expressions: { value: "t.value" } },
  { rowType: "ERC721", table: "erc721_transfers", expressions: { tokenId: "t.token_id" } },
  {
    rowType: "ERC1155",
    table: "erc1155_transfers",
    expressions: {
      value: "t.value",
      tokenId: "t.token_id",
      batchIndex: "t.batch_index",
      operator: "t.operator_address",
    },
  },
].map((source) => ({
  rowType: source.rowType as RowType,
  table: source.table,
  expressions: { phase: "2", rowIndex: "t.log_index", tokenAddress: "t.token_address", ...source.expressions },
}));

/** Maximum number of addresses for which the rows of each address are read from the indexes in order. */
const MAX_STREAMED = 16;

const IN_RANGE = "t.chain_id = $1 AND t.block_number BETWEEN $2::bigint AND $3::bigint";
const IS_STRANGER = "t.from_address <> ALL ($4::bytea[])";
const ORDER = `"blockNumber", "blockIndex", phase, "rowIndex", "batchIndex"`;

interface Condition {
  /** SQL condition: the address `side` is one of the exported ones. */
  readonly isOwn: (side: string) => string;
}

/**
 * The rows of the addresses `$4` in the blocks from `$2` to `$3` of chain `$1`, each once: by its sender if the sender is one of
 * the addresses, otherwise by its recipient. The recipient of a transaction that creates a contract is the contract.
 */
function branches(hasInternal: boolean, list: (source: Source) => string, isOwn: Condition["isOwn"]): string[] {
  const sources = [NATIVE, ...(hasInternal ? [INTERNAL] : []), ...TRANSFERS];
  const sides = sources.flatMap((source) => {
    const rows = (condition: string): string =>
      `SELECT ${list(source)} FROM ${source.table} t WHERE ${IN_RANGE} AND ${condition}${source.where ? ` AND ${source.where}` : ""}`;
    return [rows(isOwn("t.from_address")), rows(`${isOwn("t.to_address")} AND ${IS_STRANGER}`)];
  });
  const created = `SELECT ${list(NATIVE)} FROM evm_deployments d
    JOIN evm_transactions t USING (block_number, block_index)
    WHERE d.chain_id = $1 AND d.block_number BETWEEN $2::bigint AND $3::bigint AND d.trace_index = 0 AND ${isOwn("d.address")}
      AND t.chain_id = $1 AND ${IS_STRANGER}`;
  return [...sides, created];
}

function selectList({ rowType, expressions }: Source): string {
  const all: Expressions = { ...SHARED, ...expressions, rowType: `'${rowType}'` };
  return Object.entries(FIELDS)
    .map(([name, type]) => `${all[name as Field] ?? "NULL"}::${type} AS "${name}"`)
    .join(", ");
}

const isOneOf = (side: string): string => `${side} = ANY ($4::bytea[])`;

/**
 * Statement of the rows in file order. If `isStreamed`, each address is also a parameter of its own, from `$5` on: then each
 * range of an index is read in order and the ranges are merged, so that the first rows come at once. For more addresses the
 * rows are sorted, on disk if need be.
 */
export function rowsQuery(addressCount: number, hasInternal: boolean): RowQuery {
  if (!isStreamed(addressCount))
    return {
      text: `${branches(hasInternal, selectList, isOneOf).join(" UNION ALL ")} ORDER BY ${ORDER}`,
      settings: { jit: "off", work_mem: "'64MB'" },
    };
  const ranges = Array.from({ length: addressCount }, (_, index) =>
    branches(hasInternal, selectList, (side) => `${side} = $${index + 5}`).map(
      (rows) => `(${rows} ORDER BY t.block_number)`,
    ),
  );
  return {
    text: `SELECT * FROM (${ranges.flat().join(" UNION ALL ")}) r ORDER BY ${ORDER}`,
    settings: { jit: "off", enable_sort: "off", enable_seqscan: "off", enable_bitmapscan: "off" },
  };
}

/** True if the statement of `rowsQuery` has a parameter for each address. */
export const isStreamed = (addressCount: number): boolean => addressCount <= MAX_STREAMED;

/** Statement that counts the same rows by day. */
export function countQuery(hasInternal: boolean, day: (timestamp: string) => string): string {
  const rows = branches(hasInternal, () => "t.block_timestamp", isOneOf).join(" UNION ALL ");
  return `SELECT ${day("block_timestamp")} AS day, count(*) AS rows FROM (${rows}) r GROUP BY 1 ORDER BY 1`;
}
