import { MAX_TEXT_LENGTH } from "./parse-text.ts";

/**
 * SQL of a text in lower case. The collation C changes the letters A to Z, and no other characters, whatever the locale of the database is.
 */
const inLowerCase = (text: string): string => `lower(${text} COLLATE "C")`;

const TEXT = inLowerCase("$2::text");

/** Rows of one chain whose column begins with the text, at most `$3`, read in the order of the index of that column. */
function startsWithText(table: string, column: string): string {
  const key = inLowerCase(`left(t.${column}, ${MAX_TEXT_LENGTH})`);
  return `(SELECT t.address, t.name, t.symbol, t.first_block_number, ${key} AS matched FROM ${table} t
      WHERE t.chain_id = $1 AND t.${column} <> '' AND ${key} >= ${TEXT} AND ${key} < ${TEXT} || chr(1114111)
      ORDER BY ${key}, t.first_block_number, t.address LIMIT $3)`;
}

/**
 * Tokens on chain `$1` whose symbol or name begins with a text (`$2`), exact matches first. A token whose symbol and name both
 * begin with the text may occur twice.
 */
export const tokensOf = (table: string): string => `SELECT $1::bigint AS "chainId", t.address, t.name, t.symbol,
    matched = ${TEXT} AS "isExact"
  FROM (
    ${startsWithText(table, "symbol")}
    UNION ALL
    ${startsWithText(table, "name")}) t
  ORDER BY "isExact" DESC, t.matched, t.first_block_number, t.address`;
