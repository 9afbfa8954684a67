import { asSuperuser, createTestDatabase } from "../../../test/support/database/database.ts";
import { hashTables } from "../../../test/support/database/tables.ts";
import { indexedAlpha } from "../../../test/support/indexed/indexed.ts";
import { compactIndexes } from "./compact.ts";

const C_CHAIN = 760_011;

const depsOn = (url: string, signal = new AbortController().signal) => ({
  url,
  rules: { chainId: String(C_CHAIN) },
  signal,
  report: () => {},
});

const INDEXES = `SELECT indexname, indexdef FROM pg_indexes WHERE tablename LIKE '%\\_${C_CHAIN}' ORDER BY 1`;

describe("moraine compact", () => {
  it("makes the indexes of a chain smaller, and changes neither them nor the rows", async () => {
    await using database = await indexedAlpha();
    const { pool, url } = database;
    const before = [(await pool.query(INDEXES)).rows, await hashTables(pool, C_CHAIN)];
    const line = await compactIndexes(depsOn(url));
    const [, from, to] = /indexes took ([\d.]+) MB, now ([\d.]+) MB$/.exec(line) ?? [];
    expect(Number(to)).toBeLessThan(Number(from));
    expect([(await pool.query(INDEXES)).rows, await hashTables(pool, C_CHAIN)]).toEqual(before);
  });

  it("drops an index that an interrupted run left behind", async () => {
    await using database = await indexedAlpha();
    const { pool, url } = database;
    const { rows } = await pool.query(INDEXES);
    await pool.query(`CREATE INDEX "left_ccnew" ON evm_logs_${C_CHAIN} (address)`);
    await asSuperuser(url, "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'left_ccnew'::regclass");
    await compactIndexes(depsOn(url));
    expect((await pool.query(INDEXES)).rows).toEqual(rows);
  });

  it("stops between two indexes when it is interrupted, and does nothing without tables", async () => {
    await using database = await createTestDatabase();
    expect(await compactIndexes(depsOn(database.url))).toBe(`chain ${C_CHAIN}: 0 indexes took 0.0 MB, now 0.0 MB`);
    await using indexed = await indexedAlpha();
    const stop = AbortSignal.abort(new Error("interrupted"));
    await expect(compactIndexes(depsOn(indexed.url, stop))).rejects.toThrow("interrupted");
  });
});
