import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import { tryBecomeWriter, type Writer } from "../../indexer/shared/writer.ts";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { namedRows } from "../../test/support/database/named-balances.ts";
import { prismaHistory, schemaSql } from "../../test/support/database/schema-sql.ts";
import { indexedAlpha } from "../../test/support/indexed/indexed.ts";
import { FREQUENT_EVENTS } from "../formats/frequent-events.ts";
import { storedData, storedEvent, storedTopic } from "../formats/stored-logs.ts";
import { migrate, requireMigrated } from "./migrate.ts";

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
const SMALLER_ROWS = "20261127010000_smaller_rows";

const NAMES = readdirSync("prisma/migrations")
  .filter((name) => /^\d/.test(name))
  .sort();
const sqlOf = (name: string): string => readFileSync(`prisma/migrations/${name}/migration.sql`, "utf8");

/** Moves the tables of a database to the schema `indexed`, and creates those of the version before a migration. */
async function withEarlierTables(pool: pg.Pool, migration: string): Promise<void> {
  await pool.query("ALTER SCHEMA public RENAME TO indexed; CREATE SCHEMA public");
  for (const name of NAMES.filter((one) => one < migration)) await pool.query(sqlOf(name));
  await pool.query("CREATE TABLE _prisma_migrations (LIKE indexed._prisma_migrations INCLUDING ALL)");
  await pool.query(
    "INSERT INTO _prisma_migrations SELECT * FROM indexed._prisma_migrations WHERE migration_name < $1",
    [migration],
  );
}

const createPartition = (pool: pg.Pool, table: string, chain: number) =>
  pool.query(`CREATE TABLE ${table}_${chain} PARTITION OF ${table} FOR VALUES IN (${chain})`);

/** Number of rows that one of two tables or queries has more than the other. */
async function differencesOf(pool: pg.Pool, one: string, other: string): Promise<number> {
  const more = async (from: string, than: string) =>
    (await pool.query(`SELECT * FROM ${from} a EXCEPT ALL SELECT * FROM ${than} b`)).rowCount ?? 0;
  return (await more(one, other)) + (await more(other, one));
}

/**
 * The recorded chains in a database of the version before holders had numbers, and the same rows of the current version in the schema
 * `indexed`. A chain whose tables were not all created yet has a table of balances only.
 */
async function indexedBeforeHolderIds(): Promise<TestDatabase> {
  const database = await indexedAlpha();
  const { pool } = database;
  await withEarlierTables(pool, HOLDER_IDS);
  for (const chain of [760_011, 760_012, 9]) await createPartition(pool, "erc20_balances", chain);
  for (const chain of [760_011, 760_012]) await createPartition(pool, "erc20_holders", chain);
  for (const table of ["erc20_balances", "erc20_holders"])
    await pool.query(`INSERT INTO ${table} SELECT * FROM ${namedRows(table, "indexed.")} t`);
  return database;
}

/** The tables with block numbers of 4 bytes. */
const SMALLER_TABLES = [
  "evm_transactions",
  "evm_logs",
  "erc20_transfers",
  "evm_internal_transactions",
  "erc721_transfers",
  "erc1155_transfers",
];

const earlierTopic = (topic: string): string =>
  `CASE ${topic} WHEN '' THEN NULL WHEN '\\x00' THEN '' ELSE ${topic} END AS ${topic}`;
const EARLIER_COLUMNS: Readonly<Record<string, string>> = {
  topic0: "nullif(topic0, '') AS topic0",
  ...Object.fromEntries(["topic1", "topic2", "topic3"].map((topic) => [topic, earlierTopic(topic)])),
};

/** Moves the rows of the recorded chains to tables of the version before their rows became smaller. The schema `indexed` keeps them. */
async function moveToEarlierRows(pool: pg.Pool): Promise<void> {
  await withEarlierTables(pool, SMALLER_ROWS);
  for (const table of SMALLER_TABLES) {
    for (const chain of [760_011, 760_012]) await createPartition(pool, table, chain);
    const { rows } = await pool.query<{ name: string }>(
      "SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0",
      [`indexed.${table}`],
    );
    const names = rows.map(({ name }) => name);
    const values = names.map((name) => EARLIER_COLUMNS[name] ?? name);
    await pool.query(`INSERT INTO ${table} (${names.join(", ")}) SELECT ${values.join(", ")} FROM indexed.${table}`);
  }
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
    const counts: Record<string, string> = {};
    for (const table of ["erc20_balances", "erc20_holders"]) {
      expect([table, await differencesOf(pool, namedRows(table), namedRows(table, "indexed."))]).toEqual([table, 0]);
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
      await pool.query("INSERT INTO evm_logs VALUES (760011, 0, $1, 0, '', '', $2, $3, '', $4)", [
        index,
        Buffer.from(storedTopic(word("00")), "hex"),
        Buffer.from(storedTopic(word("ff")), "hex"),
        Buffer.from(storedData(data), "hex"),
      ]);
    for (const [index, topic] of [...events, word("01")].entries())
      await pool.query("INSERT INTO evm_logs VALUES (760011, 0, $1, 0, '\\x01', $2, '', '', '', '')", [
        100 + index,
        Buffer.from(storedEvent(topic), "hex"),
      ]);
    await moveToEarlierRows(pool);
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
    await migrate(database.url, (line) => lines.push(line));
    expect(await differencesOf(pool, "evm_logs", "indexed.evm_logs")).toBe(0);
    expect(lines[0]).toContain("the logs of all EVM chains are written again");
  });

  it("write the rows of the largest tables again with columns of a fixed width first, and keep all values", async () => {
    await using database = await indexedAlpha();
    const { pool } = database;
    await moveToEarlierRows(pool);
    const lines: string[] = [];
    expect(await migrate(database.url, (line) => lines.push(line))).toContain(SMALLER_ROWS);
    for (const table of SMALLER_TABLES)
      expect([table, await differencesOf(pool, table, `indexed.${table}`)]).toEqual([table, 0]);
    const chains = SMALLER_TABLES.flatMap((table) => [760_011, 760_012].map((chain) => [table, chain] as const));
    for (const [index, [table, chain]] of chains.entries()) {
      const { rows } = await pool.query<{ rows: string }>(`SELECT count(*) AS rows FROM ${table}_${chain}`);
      expect(lines[2 * index]).toContain(`the rows of ${table} of chain ${chain} are written again`);
      expect(lines[2 * index + 1]).toBe(`chain ${chain}: wrote ${rows[0]?.rows} rows of ${table}`);
    }
    // Each column that is not aligned to the end of the one before it would waste bytes.
    const { rows: wasteful } = await pool.query(
      `SELECT attrelid::regclass, attname FROM (
         SELECT *, lag(attlen) OVER (PARTITION BY attrelid ORDER BY attnum) AS before FROM pg_attribute
         WHERE attrelid = ANY ($1::regclass[]) AND attnum > 0) a
       WHERE attlen > 0 AND (before < attlen OR before < 0)`,
      [chains.map(([table, chain]) => `${table}_${chain}`)],
    );
    expect(wasteful).toEqual([]);
  });

  it("refuse to write rows again while an indexer of an earlier version writes a chain", async () => {
    await using database = await indexedAlpha();
    await moveToEarlierRows(database.pool);
    {
      await using _writer = (await tryBecomeWriter(database.url, "760012")) as Writer;
      await expect(migrate(database.url, () => {})).rejects.toThrow(
        "an indexer of an earlier version writes chain 760012",
      );
    }
    expect(await migrate(database.url, () => {})).toContain(SMALLER_ROWS);
  });

  it("refuse to write rows again while an export of an earlier version reads them", async () => {
    await using database = await indexedAlpha();
    await moveToEarlierRows(database.pool);
    const job = new pg.Client({ connectionString: database.url, application_name: "moraine export rows 12345678" });
    await job.connect();
    await job.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
    await expect(migrate(database.url, () => {})).rejects.toThrow("an export of an earlier version runs");
    await job.end();
    expect(await migrate(database.url, () => {})).toContain(SMALLER_ROWS);
  });

  it("are applied once when several processes start at once", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    const applied = await Promise.all([1, 2, 3].map(() => migrate(database.url, () => {})));
    expect(applied.flat()).toEqual(NAMES);
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
    await expect(requireMigrated(database.url)).rejects.toThrow("the database is older");
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
