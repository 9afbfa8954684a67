import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import { createTestDatabase } from "../test/support/database/database.ts";
import { isMigrated, migrate } from "./migrate.ts";
import { migrateInProcess } from "./migration-process.ts";
import { schemaSql } from "./schema-engine.ts";

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

const SMALLER_INDEXES = "20261125000000_smaller_indexes";

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

  it("make the indexes of a filled database smaller without changing its rows", async () => {
    await using database = await createTestDatabase();
    const { pool } = database;
    const names = readdirSync("prisma/migrations").filter((name) => /^\d/.test(name));
    const sqlOf = (name: string): string => readFileSync(`prisma/migrations/${name}/migration.sql`, "utf8");
    await pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    for (const name of names.sort().filter((one) => one < SMALLER_INDEXES)) await pool.query(sqlOf(name));
    for (const chain of [7, 8]) {
      await pool.query(`CREATE TABLE evm_transactions_${chain} PARTITION OF evm_transactions FOR VALUES IN (${chain})`);
      await pool.query(`INSERT INTO evm_transactions (chain_id, block_number, block_index, tx_hash, block_hash, block_timestamp,
          from_address, tx_type, tx_status, nonce, value, gas_limit, gas_used, cumulative_gas_used, gas_price, input, log_count)
        SELECT ${chain}, n, 0, sha256(int4send(n)), int4send(n), n, int4send(n % 10), 2, 1, n, n, n, n, n, n, '', 0
        FROM generate_series(1, 500) n`);
    }
    const rows = "SELECT * FROM evm_transactions ORDER BY chain_id, block_number";
    const before = (await pool.query(rows)).rows;
    await pool.query(sqlOf(SMALLER_INDEXES));
    expect((await pool.query(rows)).rows).toEqual(before);
    const { rows: indexes } = await pool.query(
      "SELECT regexp_replace(indexdef, '.* USING ', '') AS index FROM pg_indexes WHERE tablename = 'evm_transactions_8' ORDER BY 1",
    );
    expect(indexes.map(({ index }) => index)).toEqual([
      "btree (chain_id, block_number, block_index)",
      "btree (chain_id, contract_address, block_number) WHERE ((contract_address IS NOT NULL) AND (tx_status = 1))",
      "btree (from_address, block_number, block_index)",
      "btree (to_address, block_number, block_index)",
      "hash (tx_hash)",
    ]);
    const byHash = "SELECT block_number FROM evm_transactions WHERE chain_id = 8 AND tx_hash = sha256(int4send(123))";
    expect((await pool.query(byHash)).rows).toEqual([{ block_number: "123" }]);
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

describe("migrations in a process of their own", () => {
  it("create the tables, and start no process if nothing is missing", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public; DROP SCHEMA graphile_worker CASCADE");
    expect(await isMigrated(database.url)).toBe(false);
    const { signal } = new AbortController();
    await migrateInProcess(database.url, signal);
    expect(await isMigrated(database.url)).toBe(true);
    expect((await database.pool.query("SELECT FROM evm_blocks")).rowCount).toBe(0);
    // An aborted signal would end the process, and throw.
    await migrateInProcess(database.url, AbortSignal.abort());
  });

  it("fail with the error of the process", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("DELETE FROM _prisma_migrations");
    await expect(migrateInProcess(database.url, new AbortController().signal)).rejects.toThrow(/already exists/);
    expect(await isMigrated(database.url)).toBe(false);
  });
});
