import { setTimeout as sleep } from "node:timers/promises";
import { createStoredKey, limitStoredKey, listStoredKeys, revokeStoredKey } from "../../../commands/key-store.ts";
import { until } from "../../../test/process/until.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { keepBusy } from "../../../test/support/keep-busy.ts";
import { createLogLines } from "../../../test/support/log-lines.ts";
import type { ApiKeys } from "./api-keys.ts";
import { startApiKeys } from "./stored-keys.ts";

const RULES = { computeUnitsPerMinute: 100, computeUnitsPerDay: null, networks: ["fuji"], scopes: ["export"] };
const CONFIG = { apiKeys: [{ key: "key-of-the-settings", scopes: [] }], keyHeaders: ["x-service-api-key"] };

let database: TestDatabase;
let nowMs: number;
beforeEach(async () => {
  nowMs = 1_000_000;
  database = await createTestDatabase();
});
afterEach(() => database[Symbol.asyncDispose]());

const { logger, lines } = createLogLines("trace");
const start = (databaseUrl = database.url) =>
  startApiKeys(CONFIG, { databaseUrl, logger, nowMs: () => nowMs, pollMs: 10 });
const codeOf = (keys: ApiKeys, key: string): string => {
  try {
    return keys.identify(() => key) ? "known" : "none";
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
};
const untilCode = (keys: ApiKeys, key: string, code: string) =>
  until(
    () => codeOf(keys, key) === code,
    () => codeOf(keys, key),
  );

describe("the API keys of the database", () => {
  it("are known beside those of the settings, with their rules", async () => {
    const { key, name } = await createStoredKey(database.pool, "first", RULES, 5);
    await using keys = await start();
    expect(key).toMatch(/^moraine_[\w-]{43}$/);
    expect(keys.identify(() => key)).toEqual({
      key,
      name,
      computeUnitsPerMinute: 100,
      computeUnitsPerDay: undefined,
      networks: ["fuji"],
      scopes: ["export"],
    });
    expect(codeOf(keys, "key-of-the-settings")).toBe("known");
    expect(codeOf(keys, `${key}x`)).toBe("UNAUTHENTICATED");
    expect(keys.isEmpty()).toBe(false);
  });

  it("are stored as hashes only", async () => {
    const { key } = await createStoredKey(database.pool, "first", RULES, 5);
    const { rows } = await database.pool.query("SELECT api_keys::text AS row FROM api_keys");
    expect(JSON.stringify(rows)).not.toContain(key.slice(8));
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(key).toString("hex"));
  });

  it("take effect when they are created, limited, revoked, and deleted by hand", async () => {
    await using keys = await start();
    const { key, name } = await createStoredKey(database.pool, "first", RULES, 5);
    await untilCode(keys, key, "known");
    await limitStoredKey(database.pool, name, { computeUnitsPerMinute: 7 });
    await until(
      () => keys.identify(() => key)?.computeUnitsPerMinute === 7,
      () => "not limited",
    );
    let revoked = 0;
    keys.onRevoked(name, () => revoked++);
    keys.onRevoked(name, () => revoked++)();
    await revokeStoredKey(database.pool, name, 6);
    await untilCode(keys, key, "UNAUTHENTICATED");
    expect(revoked).toBe(1);
    const other = await createStoredKey(database.pool, "second", RULES, 7);
    await untilCode(keys, other.key, "known");
    await database.pool.query("DELETE FROM api_keys WHERE revoked_at IS NULL");
    await untilCode(keys, other.key, "UNAUTHENTICATED");
    expect(await listStoredKeys(database.pool)).toMatchObject([{ name, label: "first", revokedAt: 6 }]);
    await expect(revokeStoredKey(database.pool, name, 8)).rejects.toThrow(`the key ${name} is already revoked`);
    await expect(limitStoredKey(database.pool, "x", {})).rejects.toThrow("moraine keys list prints the names");
  });

  it("are refused 5 seconds after the last read, but not those of the settings", async () => {
    const { key } = await createStoredKey(database.pool, "first", RULES, 5);
    await using keys = await start();
    await database.pool.query("ALTER TABLE api_keys RENAME TO away");
    await until(
      () =>
        lines.some(({ msg }) =>
          String(msg).startsWith("reading the API keys of the database fails and is tried again"),
        ),
      () => JSON.stringify(lines),
    );
    expect(codeOf(keys, key)).toBe("known");
    nowMs += 5_001;
    expect(codeOf(keys, key)).toBe("UNAVAILABLE");
    expect(codeOf(keys, "unknown-key")).toBe("UNAVAILABLE");
    expect(codeOf(keys, "key-of-the-settings")).toBe("known");
    await database.pool.query("ALTER TABLE away RENAME TO api_keys");
    await untilCode(keys, key, "known");
    expect(JSON.stringify(lines)).not.toContain(key);
  });
  it("are read although the event loop is held for longer than a read may take", async () => {
    const { key } = await createStoredKey(database.pool, "first", RULES, 5);
    const readLimitMs = 500;
    await using keys = await startApiKeys(CONFIG, {
      databaseUrl: database.url,
      logger,
      nowMs: () => nowMs,
      pollMs: 1,
      readLimitMs,
    });
    lines.length = 0;
    for (let round = 0; round < 4; round++) {
      nowMs += 4_000;
      // The next read starts in this time, and its answer arrives while the event loop is held.
      await sleep(1);
      keepBusy(readLimitMs + 50);
    }
    await untilCode(keys, key, "known");
    expect(lines).toEqual([]);
  });

  it("that do not arrive in time are read again over a new connection", async () => {
    const { key } = await createStoredKey(database.pool, "first", RULES, 5);
    const options = { databaseUrl: database.url, logger, nowMs: () => nowMs, pollMs: 1, readLimitMs: 50 };
    await using keys = await startApiKeys(CONFIG, options);
    const lock = await database.pool.connect();
    lines.length = 0;
    await lock.query("BEGIN; LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE");
    await until(
      () => lines.some(({ reason }) => reason === "the database has not answered within 50 ms"),
      () => JSON.stringify(lines),
    );
    nowMs += 5_001;
    expect(() => keys.identify(() => key)).toThrow("the stored keys could not be read within the last 5 seconds");
    await lock.query("COMMIT");
    lock.release();
    await untilCode(keys, key, "known");
  });
});
