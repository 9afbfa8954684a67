import { setTimeout as sleep } from "node:timers/promises";
import { createLogger } from "../../../core/logger.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { type BlockNotices, createBlockNotices } from "./notifications.ts";

let database: TestDatabase;
let notices: BlockNotices;

beforeEach(async () => {
  database = await createTestDatabase();
  notices = createBlockNotices(database.pool, createLogger("silent"));
});
afterEach(async () => {
  await notices[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const LISTENING =
  "application_name = 'moraine block notices' AND datname = current_database() AND query LIKE 'SELECT chain_id%'";

/** Sessions that listen. */
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

function watched(chainId: string) {
  const told: bigint[] = [];
  return { told, unwatch: notices.watch(chainId, (number) => void told.push(number)) };
}

describe("block notices", () => {
  it("open one connection, with the first who watches", async () => {
    expect(await listening()).toBe(0);
    for (let i = 0; i < 5; i++) watched("1");
    await until(async () => (await listening()) === 1);
  });

  it("tell the chain's watchers, nobody else, and nobody who has left", async () => {
    const [one, gone, other] = [watched("1"), watched("1"), watched("2")];
    await until(async () => (await listening()) === 1);
    gone.unwatch();
    await notify('{"chainId":"1","blockNumber":"12"}');
    await until(() => one.told.length === 1);
    expect([one.told, gone.told, other.told]).toEqual([[12n], [], []]);
  });

  it.each(["", "no json", "null", '{"chainId":1,"blockNumber":"1"}', '{"chainId":"1","blockNumber":"x"}'])(
    "pass over what is no notice: %s",
    async (payload) => {
      const { told } = watched("1");
      await until(async () => (await listening()) === 1);
      await notify(payload);
      await notify('{"chainId":"1","blockNumber":"13"}');
      await until(() => told.length > 0);
      expect(told).toEqual([13n]);
    },
  );

  it("come back after the connection broke, and tell the head that was reached meanwhile", async () => {
    await setHead(20);
    const { told } = watched("1");
    await until(() => told.length === 1);
    await setHead(25);
    await database.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${LISTENING}`);
    await until(() => told.length === 2);
    await notify('{"chainId":"1","blockNumber":"26"}');
    await until(() => told.length === 3);
    expect(told).toEqual([20n, 25n, 26n]);
  });
});
