import { MAX_TEXT_LENGTH } from "./parse-text.ts";

/** Rows of one chain whose column begins with the text, at most `$3`, read in the order of the index of that column. */
function startsWithText(table: string, column: string): string {
  const key = `lower(left(t.${column}, ${MAX_TEXT_LENGTH})) COLLATE "C"`;
  return `(SELECT t.address, t.name, t.symbol, t.first_block_number, ${key} AS matched FROM ${table} t
      WHERE t.chain_id = $1 AND t.${column} <> '' AND ${key} >= lower($2) AND ${key} < lower($2) || chr(1114111)
      ORDER BY ${key}, t.first_block_number, t.address LIMIT $3)`;
}

/**
 * Tokens on chain `$1` whose symbol or name begins with a text (`$2`), exact matches first. A token whose symbol and name both
 * begin with the text may occur twice.
 */
export const tokensOf = (table: string): string => `SELECT $1::bigint AS "chainId", t.address, t.name, t.symbol,
    matched = lower($2) COLLATE "C" AS "isExact"
  FROM (
    ${startsWithText(table, "symbol")}
    UNION ALL
    ${startsWithText(table, "name")}) t
  ORDER BY "isExact" DESC, t.matched, t.first_block_number, t.address`;
