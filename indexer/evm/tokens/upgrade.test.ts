import { readdirSync, readFileSync } from "node:fs";
import type pg from "pg";
import { createTestDatabase } from "../../../test/support/database/database.ts";

const MIGRATION = "20261127050000_repeated_calls";
const CHAIN = 7;
const NAME = `{"result":"0x${"4e".repeat(32)}"}`;
const WORD = `{"result":"0x${"0".repeat(62)}12"}`;
const ERROR = '{"error":"Internal error"}';

/** Creates the tables of the version before the migration, in a schema of their own. */
async function createEarlierTables(client: pg.PoolClient): Promise<void> {
  await client.query("ALTER SCHEMA public RENAME TO current; CREATE SCHEMA public");
  const earlier = readdirSync("prisma/migrations").filter((name) => /^\d/.test(name) && name < MIGRATION);
  for (const name of earlier.sort())
    await client.query(readFileSync(`prisma/migrations/${name}/migration.sql`, "utf8"));
  for (const table of ["raw_token_answers", "erc20_tokens", "nft_contracts", "nft_metadata"])
    await client.query(`CREATE TABLE ${table}_${CHAIN} PARTITION OF ${table} FOR VALUES IN (${CHAIN})`);
}

/** Tokens of an earlier version: answers, name, and what the migration makes of them. */
const TOKENS: readonly (readonly [what: string, answers: string, name: string, status: string, isDue: boolean])[] = [
  ["a name", `[${NAME},${NAME},${WORD}]`, "N", "INDEXED", false],
  ["an error of the node", `[${ERROR},${ERROR},${ERROR}]`, "", "PENDING", true],
  ["an error of the node in one answer", `[${NAME},${NAME},${ERROR}]`, "N", "PENDING", false],
  ["an error of the contract", '[{"error":"execution reverted"},{"result":"0x"},{"result":"0x"}]', "", "PENDING", true],
  ["empty answers", '[{"result":"0x"},{"result":"0x"},{"result":"0x"}]', "", "INDEXED", true],
  ["two words of decimals", `[${NAME},${NAME},{"result":"0x${"0".repeat(127)}6"}]`, "N", "PENDING", false],
];

it("an upgrade reads answers again that an earlier version did not understand, and calls contracts without a name", async () => {
  await using database = await createTestDatabase();
  const client = await database.pool.connect();
  try {
    await createEarlierTables(client);
    for (const [i, [, answers, name]] of TOKENS.entries()) {
      const address = Buffer.alloc(20, i + 1);
      await client.query(
        `INSERT INTO erc20_tokens (chain_id, address, first_block_number, metadata_status, name, symbol)
         VALUES ($1, $2, 1, 'INDEXED', $3, $3)`,
        [CHAIN, address, name],
      );
      await client.query("INSERT INTO raw_token_answers VALUES ($1, $2, $3)", [CHAIN, address, answers]);
    }
    await client.query(readFileSync(`prisma/migrations/${MIGRATION}/migration.sql`, "utf8"));
    const { rows } = await client.query<{ status: string; due: boolean }>(
      `SELECT t.metadata_status AS status, r.next_attempt_at IS NOT NULL AS due
       FROM erc20_tokens t JOIN raw_token_answers r USING (chain_id, address) ORDER BY address`,
    );
    expect(rows.map(({ status, due }, i) => [TOKENS[i]?.[0], status, due])).toEqual(
      TOKENS.map(([what, , , status, isDue]) => [what, status, isDue]),
    );
  } finally {
    client.release();
  }
});
