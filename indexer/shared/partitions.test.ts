import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { PARTITIONED } from "../evm/store/tables.ts";
import { TABLE_NAMES } from "../primary/replay/store/tables.ts";
import { createPartitionsOf } from "./partitions.ts";
import { tryBecomeWriter, type Writer } from "./writer.ts";

const CHAIN = "77014";
/** The server of the tests does not wait for the disk either, so the test looks at where the setting comes from. */
const SETTING = "SELECT setting, source FROM pg_settings WHERE name = 'synchronous_commit'";
const OF_TRANSACTION = { setting: "off", source: "session" };

/** What a table is made of, without the id of its chain in the names. */
async function definition({ pool }: TestDatabase, table: string, id: string): Promise<unknown> {
  const queries = [
    `SELECT attname, atttypid::regtype, attnotnull, attstorage, attcompression, attnum, pg_get_expr(adbin, adrelid) AS value
     FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attrelid = $1::regclass AND attnum > 0 ORDER BY attnum`,
    // Both partitions are in one database, so the shortened names of their indexes have other numbers.
    `SELECT regexp_replace(pg_get_indexdef(indexrelid), 'INDEX \\S+', 'INDEX') AS index FROM pg_index
     WHERE indrelid = $1::regclass ORDER BY 1`,
    `SELECT i.inhparent::regclass AS parent FROM pg_index JOIN pg_inherits i ON i.inhrelid = indexrelid
     WHERE indrelid = $1::regclass ORDER BY 1`,
    "SELECT conname, pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE conrelid = $1::regclass ORDER BY 1",
    "SELECT relkind, relpersistence, reloptions, pg_get_expr(relpartbound, oid) AS bound FROM pg_class WHERE oid = $1::regclass",
  ];
  const rows = [];
  for (const text of queries) rows.push((await pool.query(text, [`${table}_${id}`])).rows);
  return JSON.parse(JSON.stringify(rows).replaceAll(id, "<id>"));
}

describe("the creation of partitions", () => {
  it("does not wait until the partitions are on the disk", async () => {
    await using database = await createTestDatabase();
    await using writer = (await tryBecomeWriter(database.url, CHAIN)) as Writer;
    const settings: object[] = [];
    const observed: Pick<Writer, "transaction"> = {
      transaction: (task, options) =>
        writer.transaction(async (session) => {
          const result = await task(session);
          settings.push(...(await session.query(SETTING)));
          return result;
        }, options),
    };
    await createPartitionsOf(observed, ["evm_blocks", "evm_logs"], CHAIN);
    // The first transaction only finds out which ones are missing.
    expect(settings.slice(1)).toEqual([OF_TRANSACTION]);
    settings.length = 0;
    await createPartitionsOf(observed, ["evm_blocks", "evm_logs"], CHAIN);
    expect(settings).toHaveLength(1);
  });

  it("makes the same tables as PARTITION OF", async () => {
    await using database = await createTestDatabase();
    await using writer = (await tryBecomeWriter(database.url, CHAIN)) as Writer;
    for (const table of [...PARTITIONED, ...TABLE_NAMES, "primary_raw_blocks"]) {
      await createPartitionsOf(writer, [table], CHAIN);
      await database.pool.query(`CREATE TABLE ${table}_77015 PARTITION OF ${table} FOR VALUES IN (77015)`);
      expect(await definition(database, table, CHAIN)).toEqual(await definition(database, table, "77015"));
    }
  });

  it("does not wait for transactions that read or write other partitions, nor do they wait for it", async () => {
    await using database = await createTestDatabase();
    await using writer = (await tryBecomeWriter(database.url, CHAIN)) as Writer;
    await createPartitionsOf(writer, ["evm_blocks"], "77015");
    const other = await database.pool.connect();
    try {
      await other.query("BEGIN");
      await other.query("SELECT FROM evm_blocks");
      await other.query("LOCK TABLE evm_blocks IN ROW EXCLUSIVE MODE");
      await createPartitionsOf(writer, ["evm_blocks"], CHAIN);
      await writer.transaction(async (session) => {
        await session.query("LOCK TABLE ONLY evm_blocks IN SHARE UPDATE EXCLUSIVE MODE");
        await other.query("SELECT FROM evm_blocks");
      });
    } finally {
      await other.query("ROLLBACK");
      other.release();
    }
  });

  it("can be called for one chain by two sessions at once", async () => {
    await using database = await createTestDatabase();
    const writers = await Promise.all(["1", "2"].map((name) => tryBecomeWriter(database.url, name)));
    await Promise.all(
      writers.map((writer, i) =>
        createPartitionsOf(writer as Writer, i ? PARTITIONED.toReversed() : PARTITIONED, CHAIN),
      ),
    );
    const text = "SELECT count(*)::int AS n FROM pg_class WHERE relispartition AND relkind = 'r'";
    expect((await database.pool.query(text)).rows).toEqual([{ n: PARTITIONED.length }]);
    for (const writer of writers) await writer?.[Symbol.asyncDispose]();
  });
});
