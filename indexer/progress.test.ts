import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "../core/database.ts";
import { createLogger } from "../core/logger.ts";
import { createTestDatabase, type TestDatabase } from "../test/support/database.ts";
import { createProgress } from "./progress.ts";

const logger = createLogger("silent");

const written = async ({ pool }: TestDatabase) =>
  (await pool.query("SELECT state, reason, node_block_number FROM chain_progress")).rows;

describe("the progress of a chain", () => {
  it("is in the database at once when the state or its reason changes, and soon for all else", async () => {
    await using database = await createTestDatabase();
    await using progress = createProgress(database.pool, "7", "a chain", logger);
    progress.update({ state: "WAITING", reason: "the node is down" });
    await sleep(100);
    expect(await written(database)).toEqual([
      { state: "WAITING", reason: "the node is down", node_block_number: null },
    ]);
    progress.update({ nodeBlockNumber: 5 });
    await sleep(600);
    expect(await written(database)).toMatchObject([{ node_block_number: "5" }]);
  });

  it("ends in the database as it was last, however quickly it changed", async () => {
    await using database = await createTestDatabase();
    const progress = createProgress(database.pool, "7", "a chain", logger);
    for (let i = 0; i < 100; i++) progress.update({ state: i % 2 ? "STOPPED" : "WAITING", reason: `reason ${i}` });
    await progress[Symbol.asyncDispose]();
    expect(await written(database)).toMatchObject([{ state: "STOPPED", reason: "reason 99" }]);
  });

  it("is kept in memory while the database is away, and nothing fails", async () => {
    await using away = openDatabase("postgresql://nobody@127.0.0.1:9/none", 1, logger);
    await using progress = createProgress(away.pool, "7", "a chain", logger);
    progress.update({ state: "FOLLOWING", blockNumber: 12 });
    await sleep(50);
    expect(progress.current).toMatchObject({ state: "FOLLOWING", blockNumber: 12 });
  });
});
