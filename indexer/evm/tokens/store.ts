import { hexBytes } from "../../shared/pg-bytes.ts";
import type { Session } from "../../shared/writer.ts";
import type { FirstBlock } from "../contract-calls/read-if-node-has-block.ts";
import { decodeDecimals, decodeText, type TokenAnswer } from "./token-text.ts";

/** Maximum number of tokens of one page. */
export const TOKEN_PAGE = 50;

/** Tables of contracts, and the columns that the answers set. */
const TABLES = {
  erc20_tokens: "name = a.name, symbol = a.symbol, decimals = a.decimals",
  nft_contracts: "name = a.name, symbol = a.symbol",
} as const;
type Table = keyof typeof TABLES;

/** A contract whose name and symbol are not stored yet. */
export interface PendingToken extends FirstBlock {
  readonly table: Table;
  readonly address: string;
  /** The JSON of answers stored before a replay; null if there are none. */
  readonly answers: string | null;
}

/** A token and the JSON of its answers. */
export interface AnsweredToken extends PendingToken {
  readonly answers: string;
}

interface PendingRow extends Record<string, unknown> {
  table: Table;
  address: string;
  first_block_number: string;
  first_block_hash: string;
  answers: string | null;
}

/** Up to `TOKEN_PAGE` pending contracts without those in `delayed`, in the order in which they first appeared. */
export async function pendingTokens(
  session: Session,
  chainId: string,
  delayed: readonly string[],
): Promise<PendingToken[]> {
  const rows = await session.query<PendingRow>(
    `SELECT t.source AS "table", '0x' || encode(t.address, 'hex') AS address, t.first_block_number,
       encode(b.block_hash, 'hex') AS first_block_hash, r.answers
     FROM (${Object.keys(TABLES).map(pendingOf).join(" UNION ALL ")}) t
     JOIN evm_blocks b ON b.chain_id = $1 AND b.block_number = t.first_block_number
     LEFT JOIN raw_token_answers r ON r.chain_id = $1 AND r.address = t.address
     ORDER BY t.first_block_number LIMIT ${TOKEN_PAGE}`,
    [chainId, delayed.map(hexBytes)],
  );
  return rows.map((row) => ({
    table: row.table,
    address: row.address,
    firstBlockNumber: Number(row.first_block_number),
    firstBlockHash: row.first_block_hash,
    answers: row.answers,
  }));
}

const pendingOf = (table: string): string => `(SELECT '${table}' AS source, address, first_block_number FROM ${table}
  WHERE chain_id = $1 AND metadata_status = 'PENDING' AND address <> ALL ($2::bytea[])
  ORDER BY first_block_number LIMIT ${TOKEN_PAGE})`;

/** Stores the answers and the decoded values. Skips tokens whose first block is no longer the indexed one. */
export async function storeAnswers(
  session: Session,
  chainId: string,
  answered: readonly AnsweredToken[],
): Promise<void> {
  for (const table of Object.keys(TABLES) as Table[]) {
    const tokens = answered.filter((token) => token.table === table);
    if (tokens.length > 0) await storeAnswersOf(session, table, chainId, tokens);
  }
}

async function storeAnswersOf(
  session: Session,
  table: Table,
  chainId: string,
  answered: readonly AnsweredToken[],
): Promise<void> {
  const decoded = answered.map(({ answers }) => JSON.parse(answers) as [TokenAnswer, TokenAnswer, TokenAnswer]);
  await session.query(
    `WITH updated AS (
       UPDATE ${table} t SET metadata_status = 'INDEXED', ${TABLES[table]}
       FROM unnest($2::bytea[], $3::bytea[], $4::text[], $5::text[], $6::int[], $7::text[])
           AS a (address, first_block_hash, name, symbol, decimals, answers),
         evm_blocks b
       WHERE t.chain_id = $1 AND t.address = a.address
         AND b.chain_id = $1 AND b.block_number = t.first_block_number AND b.block_hash = a.first_block_hash
       RETURNING t.address, a.answers)
     INSERT INTO raw_token_answers (chain_id, address, answers) SELECT $1, address, answers FROM updated ON CONFLICT DO NOTHING`,
    [
      chainId,
      answered.map(({ address }) => hexBytes(address)),
      answered.map(({ firstBlockHash }) => `\\x${firstBlockHash}`),
      decoded.map(([name]) => decodeText(name)),
      decoded.map(([, symbol]) => decodeText(symbol)),
      decoded.map(([, , decimals]) => decodeDecimals(decimals)),
      answered.map(({ answers }) => answers),
    ],
  );
}
