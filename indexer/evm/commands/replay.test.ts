import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { fingerprint } from "../../../test/support/database/tables.ts";
import { C_CHAIN, type CommandChain, startCommandChain } from "../../../test/support/indexed/command-chain.ts";
import { indexedAlpha } from "../../../test/support/indexed/indexed.ts";
import { CommandRefused } from "./command.ts";
import { findGaps } from "./gaps/find-gaps.ts";
import { replayChain } from "./replay.ts";

let chain: CommandChain;
beforeAll(async () => {
  chain = await startCommandChain();
});
afterAll(() => chain[Symbol.asyncDispose]());

describe("moraine replay", () => {
  const progressOf = async ({ pool }: TestDatabase) =>
    (await pool.query("SELECT state, reason FROM chain_progress WHERE chain_id = $1", [C_CHAIN])).rows;

  it("shows in the progress that it runs, and restores the progress in the end", async () => {
    await using database = await indexedAlpha();
    const before = await progressOf(database);
    await database.pool.query(`
      CREATE TABLE reported (state TEXT, reason TEXT);
      CREATE FUNCTION report() RETURNS trigger AS 'BEGIN INSERT INTO reported VALUES (new.state, new.reason); RETURN new; END' LANGUAGE plpgsql;
      CREATE TRIGGER report AFTER UPDATE ON chain_progress FOR EACH ROW EXECUTE FUNCTION report();
    `);
    await using command = chain.commandOn(database);
    expect(await replayChain(command)).toMatch(/^chain 760011: 235 blocks replayed/);
    expect((await database.pool.query("SELECT * FROM reported")).rows).toEqual([
      { state: "BACKFILLING", reason: expect.stringMatching(/is replaying the chain's rows/) },
      ...before,
    ]);
  });

  it("can be interrupted between two transactions, which the progress shows, and run again", async () => {
    await using database = await indexedAlpha();
    const before = await progressOf(database);
    const { rows } = await fingerprint(database.pool, C_CHAIN, null);
    await using command = chain.commandOn(database);
    const stop = AbortSignal.abort(new CommandRefused("broken off"));
    await expect(replayChain({ ...command, signal: stop })).rejects.toThrow("broken off");
    expect(await chain.rowsOf(database, "evm_blocks")).toEqual([]);
    expect(await progressOf(database)).toMatchObject([
      { state: "WAITING", reason: expect.stringMatching(/was interrupted/) },
    ]);
    // The whole chain needs a replay, so single rows are not gaps.
    for (const repair of [false, true])
      await expect(findGaps(command, repair)).rejects.toThrow("end before its raw blocks do");
    await replayChain(command);
    expect((await fingerprint(database.pool, C_CHAIN, null)).rows).toBe(rows);
    // The state before is unknown; the indexer writes it.
    expect(before).toMatchObject([{ state: "FOLLOWING" }]);
  });

  it("deletes nothing if no raw block is stored", async () => {
    await using database = await createTestDatabase();
    await using command = chain.commandOn(database);
    await expect(replayChain(command)).rejects.toThrow(`no block of chain ${C_CHAIN} is stored`);
  });
});
