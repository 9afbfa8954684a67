import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import { tryBecomeWriter, type Writer } from "../indexer/shared/writer.ts";
import { createTestDatabase, type TestDatabase } from "../test/support/database/database.ts";
import { namedRows } from "../test/support/database/named-balances.ts";
import { indexedAlpha } from "../test/support/indexed/indexed.ts";
import { FREQUENT_EVENTS } from "./frequent-events.ts";
import { isMigrated, migrate } from "./migrate.ts";
import { migrateInProcess } from "./migration-process.ts";
import { schemaSql } from "./schema-engine.ts";
import { storedData, storedEvent, storedTopic } from "./stored-logs.ts";

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
const HOLDER_IDS = "20261126000000_holder_ids";
const SHORTER_LOGS = "20261126010000_shorter_logs";

const NAMES = readdirSync("prisma/migrations")
  .filter((name) => /^\d/.test(name))
  .sort();
const sqlOf = (name: string): string => readFileSync(`prisma/migrations/${name}/migration.sql`, "utf8");

/**
 * The recorded chains in a database of the version before holders had numbers, and the same rows of the current version in the schema
 * `indexed`. A chain whose tables were not all created yet has a table of balances only.
 */
async function indexedBeforeHolderIds(): Promise<TestDatabase> {
  const database = await indexedAlpha();
  const { pool } = database;
  await pool.query("ALTER SCHEMA public RENAME TO indexed; CREATE SCHEMA public");
  const earlier = NAMES.filter((name) => name < HOLDER_IDS);
  for (const name of earlier) await pool.query(sqlOf(name));
  await pool.query("CREATE TABLE _prisma_migrations (LIKE indexed._prisma_migrations INCLUDING ALL)");
  await pool.query(
    "INSERT INTO _prisma_migrations SELECT * FROM indexed._prisma_migrations WHERE migration_name < $1",
    [HOLDER_IDS],
  );
  for (const chain of [760_011, 760_012, 9])
    await pool.query(`CREATE TABLE erc20_balances_${chain} PARTITION OF erc20_balances FOR VALUES IN (${chain})`);
  for (const chain of [760_011, 760_012])
    await pool.query(`CREATE TABLE erc20_holders_${chain} PARTITION OF erc20_holders FOR VALUES IN (${chain})`);
  for (const table of ["erc20_balances", "erc20_holders"])
    await pool.query(`INSERT INTO ${table} SELECT * FROM ${namedRows(table, "indexed.")} t`);
  return database;
}

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
          "balance, holder_id, max_block_number, first_block_number, last_block_number, past_block_numbers, past_balances, max_end_block_number, second_balance",
      },
      { indexname: "erc20_holders_pkey", columns: "balance, holder_id, first_block_number, last_block_number" },
      { indexname: "nft_holders_pkey", columns: "balance" },
    ]);
  });

  it("make the indexes of a filled database smaller without changing its rows", async () => {
    await using database = await createTestDatabase();
    const { pool } = database;
    await pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    for (const name of NAMES.filter((one) => one < SMALLER_INDEXES)) await pool.query(sqlOf(name));
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

  it("give holders numbers, keep all balances, and report the chains whose rows they write again", async () => {
    await using database = await indexedBeforeHolderIds();
    const { pool } = database;
    const lines: string[] = [];
    expect(await migrate(database.url, (line) => lines.push(line))).toContain(HOLDER_IDS);
    const differences = async (one: string, other: string) =>
      (await pool.query(`SELECT * FROM ${one} a EXCEPT ALL SELECT * FROM ${other} b`)).rowCount;
    const counts: Record<string, string> = {};
    for (const table of ["erc20_balances", "erc20_holders"]) {
      const [found, expected] = [namedRows(table), namedRows(table, "indexed.")] as const;
      expect([table, await differences(found, expected), await differences(expected, found)]).toEqual([table, 0, 0]);
      const { rows } = await pool.query(`SELECT chain_id, count(*) AS rows FROM ${table} GROUP BY chain_id`);
      for (const { chain_id, rows: count } of rows) counts[`${table} ${chain_id}`] = count;
    }
    const numbers = "SELECT min(holder_id), max(holder_id) - count(*) AS unused FROM erc20_holders GROUP BY chain_id";
    expect((await pool.query(numbers)).rows).toEqual([
      { min: 1, unused: "0" },
      { min: 1, unused: "0" },
    ]);
    const start = expect.stringContaining("are written again");
    const end = (chain: string) =>
      `chain ${chain}: wrote ${counts[`erc20_holders ${chain}`] ?? 0} holders and ${counts[`erc20_balances ${chain}`] ?? 0} balances`;
    expect(lines).toEqual([start, end("9"), start, end("760011"), start, end("760012")]);
  });

  it("change nothing while an indexer, which may be of an earlier version, writes a chain", async () => {
    await using database = await indexedBeforeHolderIds();
    {
      await using _writer = (await tryBecomeWriter(database.url, "760012")) as Writer;
      await expect(migrate(database.url, () => {})).rejects.toThrow(
        "an indexer of an earlier version writes chain 760012: stop all processes of that version before you start this one",
      );
    }
    expect(await migrate(database.url, () => {})).toContain(HOLDER_IDS);
  });

  it("keep everything as it was, and say what to do, if a balance belongs to no holder", async () => {
    await using database = await indexedBeforeHolderIds();
    const { pool } = database;
    const holder = "(SELECT min(ctid) FROM erc20_holders WHERE chain_id = 760012)";
    const { rows } = await pool.query(
      `DELETE FROM erc20_holders WHERE chain_id = 760012 AND ctid = ${holder} RETURNING token_address, address`,
    );
    await expect(migrate(database.url, () => {})).rejects.toThrow(
      /^\d+ of the ERC-20 balances of chain 760012 have no row in erc20_holders\. Start the version of Moraine/,
    );
    const balances = "SELECT count(*) > 0 AS kept FROM erc20_balances WHERE token_address = $1 AND address = $2";
    expect((await pool.query(balances, Object.values(rows[0] ?? {}))).rows).toEqual([{ kept: true }]);
  });

  it("write logs again in the form in which the indexer writes them, and keep topics and data of any length", async () => {
    await using database = await indexedAlpha();
    const { pool } = database;
    const word = (bytes: string): string => bytes.padStart(64, "0");
    const events = FREQUENT_EVENTS.map(([, topic]) => topic);
    const odd = [
      "",
      "00",
      "01",
      word("00"),
      word("1234"),
      `${word("00")}00`,
      "ab".repeat(32),
      word("1") + word("2"),
      "cd".repeat(63),
    ];
    for (const [index, data] of odd.entries())
      await pool.query("INSERT INTO evm_logs VALUES (760011, 0, $1, 0, '', NULL, $2, $3, NULL, $4)", [
        index,
        Buffer.from(storedTopic(word("00")), "hex"),
        Buffer.from(storedTopic(word("ff")), "hex"),
        Buffer.from(storedData(data), "hex"),
      ]);
    for (const [index, topic] of [...events, word("01")].entries())
      await pool.query("INSERT INTO evm_logs VALUES (760011, 0, $1, 0, '\\x01', $2, NULL, NULL, NULL, '')", [
        100 + index,
        Buffer.from(storedEvent(topic), "hex"),
      ]);
    const rows = "SELECT * FROM evm_logs ORDER BY chain_id, block_number, log_index";
    const written = (await pool.query(rows)).rows;
    // As the version before stored them.
    const whole = (topic: string): string => `${topic} = decode(lpad(encode(${topic}, 'hex'), 64, '0'), 'hex')`;
    const event = "decode(($1::text[])[get_byte(topic0, 0) + 1], 'hex')";
    await pool.query(`UPDATE evm_logs SET topic0 = ${event} WHERE octet_length(topic0) = 1`, [events]);
    await pool.query(`UPDATE evm_logs SET ${["topic1", "topic2", "topic3"].map(whole)}, data = CASE
      WHEN octet_length(data) = 0 THEN data WHEN octet_length(data) <= 32 THEN decode(lpad(encode(data, 'hex'), 64, '0'), 'hex')
      WHEN octet_length(data) % 32 = 0 THEN data ELSE substring(data FROM 33) END`);
    const earlier = (
      await pool.query("SELECT encode(data, 'hex') AS data FROM evm_logs WHERE address = '' ORDER BY log_index")
    ).rows;
    expect(earlier.map(({ data }) => data)).toEqual(odd);
    await pool.query("DELETE FROM _prisma_migrations WHERE migration_name = $1", [SHORTER_LOGS]);
    const lines: string[] = [];
    // The process sends the lines to this one.
    await migrateInProcess(database.url, new AbortController().signal, (line) => lines.push(line));
    expect((await pool.query(rows)).rows).toEqual(written);
    expect(lines).toEqual([expect.stringContaining("the logs of all EVM chains are written again")]);
  });

  it("are applied once when several processes start at once", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    const applied = await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)]);
    expect(applied.flat()).toEqual(NAMES);
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
  const ignored = () => {};

  it("create the tables, and start no process if nothing is missing", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public; DROP SCHEMA graphile_worker CASCADE");
    expect(await isMigrated(database.url)).toBe(false);
    const { signal } = new AbortController();
    await migrateInProcess(database.url, signal, ignored);
    expect(await isMigrated(database.url)).toBe(true);
    expect((await database.pool.query("SELECT FROM evm_blocks")).rowCount).toBe(0);
    // An aborted signal would end the process, and throw.
    await migrateInProcess(database.url, AbortSignal.abort(), ignored);
  });

  it("fail with the error of the process", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("DELETE FROM _prisma_migrations");
    await expect(migrateInProcess(database.url, new AbortController().signal, ignored)).rejects.toThrow(
      /already exists/,
    );
    expect(await isMigrated(database.url)).toBe(false);
  });
});
