import { readdirSync } from "node:fs";
import pg from "pg";
import { createTestDatabase } from "../test/support/database/database.ts";
import { migrate, schemaSql } from "./migrate.ts";

const COLUMNS = `
  SELECT table_name, column_name, data_type, is_nullable, column_default, numeric_precision, numeric_scale
  FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE '\\_prisma%' ORDER BY 1, 2`;
/** Without what Prisma's schema cannot have: indexes of expressions, and columns that an index only includes. */
const INDEXES = `
  SELECT tablename, indexname, regexp_replace(replace(indexdef, ' ON ONLY ', ' ON '), ' INCLUDE \\([^)]*\\)', '') AS indexdef
  FROM pg_indexes WHERE schemaname = 'public' AND tablename NOT LIKE '\\_prisma%'
    AND indexname NOT IN (SELECT relname FROM pg_class JOIN pg_index ON oid = indexrelid WHERE indexprs IS NOT NULL) ORDER BY 1, 2`;

/** The columns that indexes only include. Prisma's schema cannot have them. */
const INCLUDED = `
  SELECT indexname, substring(indexdef FROM ' INCLUDE \\(([^)]*)\\)') AS columns
  FROM pg_indexes WHERE schemaname = 'public' AND indexdef LIKE '% INCLUDE %' ORDER BY 1`;

async function described(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const described = [(await client.query(COLUMNS)).rows, (await client.query(INDEXES)).rows];
  await client.end();
  return described;
}

describe("migrations", () => {
  it("create exactly the tables, columns and indexes of schema.prisma", async () => {
    await using migrated = await createTestDatabase();
    await using fresh = await createTestDatabase();
    await fresh.pool.query("DROP SCHEMA public CASCADE");
    await fresh.pool.query(await schemaSql(fresh.url));
    expect(await described(migrated.url)).toEqual(await described(fresh.url));
  });

  it("create these indexes with included columns, which schema.prisma cannot have", async () => {
    await using database = await createTestDatabase();
    expect((await database.pool.query(INCLUDED)).rows).toEqual([
      { indexname: "erc20_balances_pkey", columns: "balance" },
      { indexname: "erc20_holders_address_idx", columns: "balance" },
      {
        indexname: "erc20_holders_max_balance_idx",
        columns:
          "balance, max_block_number, first_block_number, last_block_number, past_block_numbers, past_balances, max_end_block_number, second_balance",
      },
      { indexname: "erc20_holders_pkey", columns: "balance, first_block_number, last_block_number" },
      { indexname: "nft_holders_pkey", columns: "balance" },
    ]);
  });

  it("are applied once when several processes start at once", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    const applied = await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)]);
    const all = readdirSync("prisma/migrations").filter((name) => /^\d/.test(name));
    expect(applied.flat()).toEqual(all.sort());
  });

  it("refuse a database that a newer version has migrated", async () => {
    await using database = await createTestDatabase();
    await database.pool.query(
      "INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '29990101000000_later', now())",
    );
    await expect(migrate(database.url)).rejects.toThrow("29990101000000_later");
  });
});
