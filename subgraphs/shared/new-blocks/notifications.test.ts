import { setTimeout as sleep } from "node:timers/promises";
import { EVM_BLOCKS } from "../../../core/database/block-channels.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { type BlockNotifications, createBlockNotifications } from "./notifications.ts";

let database: TestDatabase;
let notifications: BlockNotifications;

beforeEach(async () => {
  database = await createTestDatabase();
  notifications = createBlockNotifications(database.pool, createLogger("silent"), EVM_BLOCKS);
});
afterEach(async () => {
  await notifications[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const LISTENING =
  "application_name = 'moraine: new blocks' AND datname = current_database() AND query LIKE 'SELECT chain_id%'";

/** Number of database sessions that listen. */
async function listening(): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE ${LISTENING}`,
  );
  return rows[0]?.count ?? 0;
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 300 && !(await isSo()); i++) await sleep(20);
  expect(await isSo()).toBe(true);
}

const setHead = (number: number) =>
  database.pool.query(
    "INSERT INTO chain_heads VALUES (1, '\\x', 1, $1, '\\x', 1, 1) ON CONFLICT (chain_id) DO UPDATE SET block_number = $1",
    [number],
  );

const notify = (payload: string) => database.pool.query("SELECT pg_notify('moraine_blocks', $1)", [payload]);

function listen(chain: string) {
  const received: bigint[] = [];
  return { received, unlisten: notifications.listen(chain, (number) => void received.push(number)) };
}

describe("block notifications", () => {
  it("open one connection, for the first listener", async () => {
    expect(await listening()).toBe(0);
    for (let i = 0; i < 5; i++) listen("1");
    await until(async () => (await listening()) === 1);
  });

  it("reach the listeners of the chain, but not those of others and those that were removed", async () => {
    const one = listen("1");
    const gone = listen("1");
    const other = listen("2");
    await until(async () => (await listening()) === 1);
    gone.unlisten();
    await notify('{"chain":"1","blockNumber":"12"}');
    await until(() => one.received.length === 1);
    expect([one.received, gone.received, other.received]).toEqual([[12n], [], []]);
  });

  it.each(["", "no json", "null", '{"chainId":1,"blockNumber":"1"}', '{"chain":"1","blockNumber":"x"}'])(
    "ignore an invalid payload: %s",
    async (payload) => {
      const { received } = listen("1");
      await until(async () => (await listening()) === 1);
      await notify(payload);
      await notify('{"chain":"1","blockNumber":"13"}');
      await until(() => received.length > 0);
      expect(received).toEqual([13n]);
    },
  );

  it("resume after the connection was lost, with the head that was reached meanwhile", async () => {
    await setHead(20);
    const { received } = listen("1");
    await until(() => received.length === 1);
    await setHead(25);
    await database.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${LISTENING}`);
    await until(() => received.length === 2);
    await notify('{"chain":"1","blockNumber":"26"}');
    await until(() => received.length === 3);
    expect(received).toEqual([20n, 25n, 26n]);
  });
});
