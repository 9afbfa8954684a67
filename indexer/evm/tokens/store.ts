import { hexBytes } from "../../shared/pg-bytes.ts";
import type { Session } from "../../shared/writer.ts";
import type { FirstBlock } from "../contract-calls/read-if-node-has-block.ts";
import type { TokenValues } from "./token-values.ts";

/** Maximum number of new contracts on a page, and maximum number of contracts that are due again. */
export const PAGE = 50;

/** Tables of contracts, and the columns that the values set. */
const TABLES = {
  erc20_tokens: ["name", "symbol", "decimals"],
  nft_contracts: ["name", "symbol"],
} as const;
type Table = keyof typeof TABLES;
const TABLE_NAMES = Object.keys(TABLES) as Table[];

/** A contract that is to be called. */
export interface Contract extends FirstBlock {
  readonly table: Table;
  readonly address: string;
  /** The JSON of the stored answers; null if there are none. */
  readonly answers: string | null;
  /** Consecutive attempts at which the node could not call the contract. */
  readonly nodeFailures: number;
  /** Consecutive answers without name and symbol. */
  readonly emptyAnswers: number;
}

/** The result of calling a contract. */
export interface Attempt {
  readonly contract: Contract;
  /** JSON of the answers, and their values; both null if the node could not call the contract. */
  readonly answers: string | null;
  readonly values: TokenValues | null;
  /** Seconds since the epoch. */
  readonly attemptedAt: number;
  readonly nodeFailures: number;
  readonly emptyAnswers: number;
  /** Seconds since the epoch; null if the contract is called again only on request. */
  readonly nextAttemptAt: number | null;
}

interface ContractRow extends Record<string, unknown> {
  table: Table;
  address: string;
  first_block_number: string;
  first_block_hash: string;
  answers: string | null;
  node_failures: number;
  empty_answers: number;
}

const CONTRACT = `t.source AS "table", '0x' || encode(t.address, 'hex') AS address, t.first_block_number,
  encode(b.block_hash, 'hex') AS first_block_hash, r.answers, coalesce(r.node_failures, 0) AS node_failures,
  coalesce(r.empty_answers, 0) AS empty_answers`;
const BLOCK = "evm_blocks b ON b.chain_id = $1 AND b.block_number = t.first_block_number";

/** Up to `PAGE` contracts whose metadata is pending, in the order in which they first appeared. */
export async function newContracts(session: Session, chainId: string): Promise<Contract[]> {
  const pendingOf = (table: Table) => `(SELECT '${table}' AS source, address, first_block_number FROM ${table}
    WHERE chain_id = $1 AND metadata_status = 'PENDING' ORDER BY first_block_number LIMIT ${PAGE})`;
  const rows = await session.query<ContractRow>(
    `SELECT ${CONTRACT} FROM (${TABLE_NAMES.map(pendingOf).join(" UNION ALL ")}) t JOIN ${BLOCK}
     LEFT JOIN raw_token_answers r ON r.chain_id = $1 AND r.address = t.address
     ORDER BY t.first_block_number LIMIT ${PAGE}`,
    [chainId],
  );
  return rows.map(contractOf);
}

/** Up to `PAGE` contracts that were called before and are due again. */
export async function dueContracts(session: Session, chainId: string, nowSeconds: number): Promise<Contract[]> {
  const calledOf = (table: Table) => `SELECT '${table}' AS source, address, first_block_number FROM ${table}
    WHERE chain_id = $1 AND address = r.address AND metadata_status <> 'PENDING'`;
  const rows = await session.query<ContractRow>(
    `SELECT ${CONTRACT} FROM raw_token_answers r
     CROSS JOIN LATERAL (${TABLE_NAMES.map(calledOf).join(" UNION ALL ")}) t JOIN ${BLOCK}
     WHERE r.chain_id = $1 AND r.next_attempt_at <= $2 ORDER BY r.next_attempt_at LIMIT ${PAGE}`,
    [chainId, nowSeconds],
  );
  return rows.map(contractOf);
}

const contractOf = (row: ContractRow): Contract => ({
  table: row.table,
  address: row.address,
  firstBlockNumber: Number(row.first_block_number),
  firstBlockHash: row.first_block_hash,
  answers: row.answers,
  nodeFailures: row.node_failures,
  emptyAnswers: row.empty_answers,
});

/** Stores the values of stored answers. Skips contracts whose first block is no longer the indexed one. */
export async function storeValues(
  session: Session,
  chainId: string,
  known: readonly { readonly contract: Contract; readonly values: TokenValues }[],
): Promise<void> {
  for (const table of TABLE_NAMES) {
    const rows = known.filter(({ contract }) => contract.table === table);
    const text = `WITH results AS ${RESULTS}, ${updateOf(table)} SELECT`;
    if (rows.length > 0) await session.query(text, [chainId, JSON.stringify(rows.map(columnsOf))]);
  }
}

/**
 * Stores the results. Where the node failed, keeps the values and answers of an earlier attempt. Skips contracts whose first block is
 * no longer the indexed one.
 */
export async function storeAttempts(session: Session, chainId: string, attempts: readonly Attempt[]): Promise<void> {
  for (const table of TABLE_NAMES) {
    const rows = attempts.filter(({ contract }) => contract.table === table);
    const text = `WITH results AS ${RESULTS}, ${updateOf(table)}
      INSERT INTO raw_token_answers AS r (chain_id, address, ${SCHEDULE.join(", ")}, answers)
      SELECT $1, address, ${SCHEDULE.join(", ")}, answers FROM updated
      ON CONFLICT (chain_id, address) DO UPDATE SET answers = coalesce(excluded.answers, r.answers),
        ${SCHEDULE.map((column) => `${column} = excluded.${column}`).join(", ")}`;
    if (rows.length > 0) await session.query(text, [chainId, JSON.stringify(rows.map(columnsOf))]);
  }
}

const SCHEDULE = ["attempted_at", "node_failures", "empty_answers", "next_attempt_at"] as const;

const RESULTS = `(SELECT * FROM json_to_recordset($2::json) AS l (address bytea, first_block_hash bytea, name text, symbol text,
  decimals int, answers text, attempted_at bigint, node_failures int, empty_answers int, next_attempt_at bigint))`;

/** Without values, a contract that has none of an earlier attempt is marked as unavailable. */
const updateOf = (table: Table): string => `updated AS (
  UPDATE ${table} t SET metadata_status = CASE WHEN l.name IS NOT NULL OR t.metadata_status = 'INDEXED' THEN 'INDEXED'
      ELSE 'UNAVAILABLE' END, ${TABLES[table].map((column) => `${column} = coalesce(l.${column}, t.${column})`).join(", ")}
  FROM results l, evm_blocks b
  WHERE t.chain_id = $1 AND t.address = l.address
    AND b.chain_id = $1 AND b.block_number = t.first_block_number AND b.block_hash = l.first_block_hash
  RETURNING l.*)`;

function columnsOf(attempt: Pick<Attempt, "contract" | "values"> & Partial<Attempt>): object {
  const { contract, values, answers, attemptedAt, nodeFailures, emptyAnswers, nextAttemptAt } = attempt;
  return {
    address: hexBytes(contract.address),
    first_block_hash: `\\x${contract.firstBlockHash}`,
    ...values,
    answers,
    attempted_at: attemptedAt,
    node_failures: nodeFailures,
    empty_answers: emptyAnswers,
    next_attempt_at: nextAttemptAt,
  };
}

/** Selects the contracts to call again. */
export interface RequeueFilter {
  readonly address?: string;
  /** True to select only contracts that the node could not call, and those without name and symbol. */
  readonly onlyFailed: boolean;
}

/**
 * Schedules contracts to be called again, and returns their number. Contracts that were never called are due anyway, and are not counted.
 */
export async function requeueContracts(
  session: Session,
  chainId: string,
  { address, onlyFailed }: RequeueFilter,
): Promise<number> {
  const calledOf = (table: Table) => `SELECT address FROM ${table} WHERE chain_id = $1
    AND ($2::bytea IS NULL OR address = $2) AND metadata_status <> 'PENDING'
    AND (NOT $3 OR metadata_status = 'UNAVAILABLE' OR (name = '' AND symbol = ''))`;
  const rows = await session.query<{ count: number }>(
    `WITH requeued AS (
       INSERT INTO raw_token_answers (chain_id, address, next_attempt_at)
       SELECT $1, address, floor(extract(epoch FROM now()))::bigint FROM (${TABLE_NAMES.map(calledOf).join(" UNION ")}) t
       ON CONFLICT (chain_id, address)
       DO UPDATE SET node_failures = 0, empty_answers = 0, next_attempt_at = excluded.next_attempt_at
       RETURNING 1
     ) SELECT count(*)::int AS count FROM requeued`,
    [chainId, address ? hexBytes(address) : null, onlyFailed],
  );
  return rows[0]?.count ?? 0;
}
