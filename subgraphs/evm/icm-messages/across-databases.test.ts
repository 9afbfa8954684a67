import { createPageTokens } from "../../../core/graph/page.ts";
import { createWork } from "../../../core/work/work.ts";
import { createTestDatabase } from "../../../test/support/database/database.ts";
import { createIcmMessageStore } from "./store.ts";

const COUNT = 2_000;

describe("a list of messages that are in several databases", () => {
  it("fails if it would have to read too many messages of other states", async () => {
    await using database = await createTestDatabase();
    await database.pool.query(
      `INSERT INTO icm_messages (message_id, state, message_timestamp, source, destination, source_chain_id, sent_block_number, sent_log_index, sent_timestamp)
       SELECT int8send(i), 'SENT', i, '7', '8', 7, i, 0, i FROM generate_series(1, $1) i`,
      [COUNT],
    );
    const pools = { poolOf: () => database.pool, pools: [database.pool] };
    const tokens = createPageTokens(Buffer.alloc(32), () => 0);
    const read = (states: readonly ("SENT" | "FAILED")[], mostRows?: number) => {
      const lists = createIcmMessageStore({ pool: pools }, tokens, mostRows).lists(createWork());
      return lists({ chains: null, order: "desc", states: [...states] }, { size: 2 });
    };
    expect((await read(["SENT"], 500)).nodes).toHaveLength(2);
    expect((await read(["FAILED"])).nodes).toEqual([]);
    await expect(read(["FAILED"], 500)).rejects.toMatchObject({
      message: expect.stringMatching(/^too few of 500 messages belong to the list/),
      extensions: { code: "OPERATION_TOO_COMPLEX" },
    });
  });
});
