import { readdirSync } from "node:fs";
import pg from "pg";
import { beforeReleases } from "../../test/support/database/before-releases.ts";
import { createTestDatabase } from "../../test/support/database/database.ts";
import { prismaHistory, schemaSql } from "../../test/support/database/schema-sql.ts";
import { migrate, requireMigrated } from "./migrate.ts";
import { statementsOf } from "./migration-statements.ts";

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

const NAMES = readdirSync("prisma/migrations")
  .filter((name) => /^\d/.test(name))
  .sort();

const LARGEST_TABLES = [
  "evm_transactions",
  "evm_logs",
  "erc20_transfers",
  "evm_internal_transactions",
  "erc721_transfers",
  "erc1155_transfers",
];

async function described(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const described = [(await client.query(COLUMNS)).rows, (await client.query(INDEXES)).rows];
  await client.end();
  return described;
}

it("a semicolon in a text, a name, a body or a comment ends no statement of a migration", () => {
  const sql = `-- one; two
    CREATE TABLE "a;b" (c text DEFAULT 'it''s; x' - 1); -- three;
    DO $$ BEGIN a; b; END $$;
    DO $body$ a; $$ b; $$ $body$
  `;
  expect(statementsOf(sql)).toEqual([
    `CREATE TABLE "a;b" (c text DEFAULT 'it''s; x' - 1)`,
    "DO $$ BEGIN a; b; END $$",
    "DO $body$ a; $$ b; $$ $body$",
  ]);
});

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
      { indexname: "erc20_holders_address_idx", columns: "balance, holder_id, first_block_number, last_block_number" },
      {
        indexname: "erc20_holders_max_balance_idx",
        columns:
          "balance, holder_id, max_block_number, first_block_number, last_block_number, past_block_numbers, past_balances, max_end_block_number, second_balance",
      },
      {
        indexname: "erc20_holders_past_address_idx",
        columns: "balance, holder_id, first_block_number, last_block_number",
      },
      { indexname: "erc20_holders_pkey", columns: "balance, holder_id, first_block_number, last_block_number" },
      { indexname: "nft_collection_balances_pkey", columns: "balance" },
      { indexname: "nft_holders_pkey", columns: "balance" },
      { indexname: "nft_item_balances_pkey", columns: "balance" },
      { indexname: "nft_item_balances_token_idx", columns: "balance" },
    ]);
  });

  it("have the columns of the largest tables in an order that wastes no bytes between them", async () => {
    await using database = await createTestDatabase();
    const { rows: wasteful } = await database.pool.query(
      `SELECT attrelid::regclass, attname FROM (
         SELECT *, lag(attlen) OVER (PARTITION BY attrelid ORDER BY attnum) AS before FROM pg_attribute
         WHERE attrelid = ANY ($1::regclass[]) AND attnum > 0) a
       WHERE attlen > 0 AND (before < attlen OR before < 0)`,
      [LARGEST_TABLES],
    );
    expect(wasteful).toEqual([]);
  });

  it("are applied once when several processes start at once", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    const applied = await Promise.all([1, 2, 3].map(() => migrate(database.url, () => {})));
    expect(applied.flat()).toEqual(NAMES);
  });

  it("refuse a database of a version before the first release, and change nothing", async () => {
    await using database = await createTestDatabase();
    await beforeReleases(database.pool);
    const migrationsOf = async () => (await database.pool.query("SELECT * FROM _prisma_migrations")).rows;
    const before = await migrationsOf();
    await expect(migrate(database.url)).rejects.toThrow(
      "a version of Moraine before the first release, which this version cannot upgrade",
    );
    expect(await migrationsOf()).toEqual(before);
  });

  it("refuse a database that a newer version has migrated", async () => {
    await using database = await createTestDatabase();
    await database.pool.query(
      "INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '29990101000000_later', now())",
    );
    await expect(migrate(database.url)).rejects.toThrow("29990101000000_later");
  });

  it("are recorded as Prisma records them, which applies nothing again, and finds only what has changed", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("UPDATE _prisma_migrations SET checksum = 'other' WHERE migration_name = $1", [NAMES[0]]);
    expect(await prismaHistory(database.url)).toEqual({
      editedMigrationNames: [NAMES[0]],
      failedMigrationNames: [],
      appliedMigrationNames: [],
    });
  });

  it("create all tables, also those of the job queue, and change nothing if nothing is missing", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public; DROP SCHEMA graphile_worker CASCADE");
    await expect(requireMigrated(database.url)).rejects.toThrow("the database is empty");
    expect(await migrate(database.url)).toEqual(NAMES);
    await requireMigrated(database.url);
    expect((await database.pool.query("SELECT FROM evm_blocks")).rowCount).toBe(0);
    expect(await migrate(database.url)).toEqual([]);
  });

  it("fail with the error of PostgreSQL", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("DELETE FROM _prisma_migrations");
    await expect(migrate(database.url)).rejects.toThrow(/already exists/);
    expect((await database.pool.query("SELECT FROM _prisma_migrations")).rowCount).toBe(0);
  });

  it("refuse a database in which Prisma has begun a migration and not finished it", async () => {
    await using database = await createTestDatabase();
    const last = NAMES.at(-1);
    const unfinish = "UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = $1";
    await database.pool.query(unfinish, [last]);
    await expect(migrate(database.url)).rejects.toThrow(
      `migration ${last} was begun by another program, such as prisma migrate deploy, and has not finished: repair the database and tell the result by prisma migrate resolve, then start again`,
    );
  });
});
