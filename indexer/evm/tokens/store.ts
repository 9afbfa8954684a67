import { hexBytes } from "../../shared/pg-bytes.ts";
import type { Session } from "../../shared/writer.ts";
import { decodeDecimals, decodeText, type TokenAnswer } from "./token-text.ts";

/** Most tokens that are looked at in one go. */
export const TOKEN_PAGE = 50;

/** Tables of contracts that say what they call themselves, and the columns that keep it. */
const TABLES = {
  erc20_tokens: "name = a.name, symbol = a.symbol, decimals = a.decimals",
  nft_contracts: "name = a.name, symbol = a.symbol",
} as const;
type Table = keyof typeof TABLES;

/** A token that has not been asked yet. */
export interface PendingToken {
  readonly table: Table;
  readonly address: string;
  readonly firstBlockNumber: number;
  /** Hex without `0x`: the branch of the chain on which the token is. */
  readonly firstBlockHash: string;
  /** Answers of an earlier time, so that a replay asks nobody. */
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

/** The oldest that are pending, without those in `resting`. */
export async function pendingTokens(
  session: Session,
  chainId: string,
  resting: readonly string[],
): Promise<PendingToken[]> {
  const rows = await session.query<PendingRow>(
    `SELECT t.source AS "table", '0x' || encode(t.address, 'hex') AS address, t.first_block_number,
       encode(b.block_hash, 'hex') AS first_block_hash, r.answers
     FROM (${Object.keys(TABLES).map(pendingOf).join(" UNION ALL ")}) t
     JOIN evm_blocks b ON b.chain_id = $1 AND b.block_number = t.first_block_number
     LEFT JOIN raw_token_answers r ON r.chain_id = $1 AND r.address = t.address
     ORDER BY t.first_block_number LIMIT ${TOKEN_PAGE}`,
    [chainId, resting.map(hexBytes)],
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

/** Keeps the answers and what they mean; of tokens that are not on the same branch any more it keeps nothing. */
export async function storeAnswers(
  session: Session,
  chainId: string,
  answered: readonly AnsweredToken[],
): Promise<void> {
  for (const table of Object.keys(TABLES) as Table[]) {
    const ofTable = answered.filter((token) => token.table === table);
    if (ofTable.length > 0) await storeAnswersOf(session, table, chainId, ofTable);
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
    `WITH known AS (
       UPDATE ${table} t SET metadata_status = 'INDEXED', ${TABLES[table]}
       FROM unnest($2::bytea[], $3::bytea[], $4::text[], $5::text[], $6::int[], $7::text[])
           AS a (address, first_block_hash, name, symbol, decimals, answers),
         evm_blocks b
       WHERE t.chain_id = $1 AND t.address = a.address
         AND b.chain_id = $1 AND b.block_number = t.first_block_number AND b.block_hash = a.first_block_hash
       RETURNING t.address, a.answers)
     INSERT INTO raw_token_answers (chain_id, address, answers) SELECT $1, address, answers FROM known ON CONFLICT DO NOTHING`,
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
