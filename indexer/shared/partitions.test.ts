import { createTestDatabase } from "../../test/support/database/database.ts";
import { createPartitionsOf } from "./partitions.ts";
import { tryBecomeWriter, type Writer } from "./writer.ts";

const CHAIN = "77014";
/** The server of the tests does not wait for the disk either, so the test looks at where the setting comes from. */
const SETTING = "SELECT setting, source FROM pg_settings WHERE name = 'synchronous_commit'";
const OF_TRANSACTION = { setting: "off", source: "session" };

describe("the creation of partitions", () => {
  it("does not wait until each partition is on the disk", async () => {
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
    expect(settings).toEqual([OF_TRANSACTION, OF_TRANSACTION]);
  });
});
