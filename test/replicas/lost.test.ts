import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../../core/config/config-schema.ts";
import { compareReplicas, requireServers } from "../../core/database/check-replicas.ts";
import type { Databases } from "../../core/database/database.ts";
import { migrate } from "../../core/database/migrate.ts";
import { openDatabase } from "../../core/database/open-database.ts";
import { placementOf } from "../../core/database/placement.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { type Replicated, startReplicated } from "../support/database/replicated.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { until } from "../support/indexed/indexing.ts";
import { createLogLines } from "../support/log-lines.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { readDump, restoreDump } from "../upgrade/release-dump.ts";

let servers: Replicated;
let database: Databases;
let stack: Stack;
let config: Config;
const { logger, lines } = createLogLines("info");

beforeAll(async () => {
  await using indexed = await indexedAlphaNetwork();
  servers = await startReplicated();
  const { primary, standby } = servers;
  await restoreDump(primary.url, await readDump(indexed.pool));
  await migrate(primary.url, () => {});
  await servers.caughtUp();
  config = indexed.config;
  database = openDatabase(primary.url, 5, logger, { readUrls: [standby.url] });
  stack = await startStack({ database, config });
  await untilState((reason) => reason === null);
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  await servers[Symbol.asyncDispose]();
});

const reasonNow = () => database.replicas?.states()[0]?.reason ?? null;
const untilState = (isDone: (reason: string | null) => boolean) =>
  until(async () => reasonNow(), isDone, "another state of the replica");

const PATHS = ["/v1/chains/760011/blocks", "/v1/chains/760011", "/v1/networks/fuji/blockchains/p-chain/transactions"];

/** Sends requests, some at the same time, until `isOver`. Returns how many answers had each status and text. */
async function load(isOver: () => boolean): Promise<Map<string, number>> {
  const seen = new Map<string, number>();
  const client = async (path: string) => {
    while (!isOver()) {
      const { status, text } = await stack.get(`${path}?pageSize=5`);
      const key = `${path} ${status} ${text.replaceAll(/"nextPageToken":"[^"]*"/g, "")}`;
      seen.set(key, (seen.get(key) ?? 0) + 1);
      await sleep(1);
    }
  };
  await Promise.all([...PATHS, ...PATHS].map(client));
  return seen;
}

describe("the servers of the settings", () => {
  it("are compared: a replica is a copy of the same database", async () => {
    await using other = await createTestDatabase();
    const { primary, standby } = servers;
    const wrong = standby.url.replace(/moraine$/, "postgres");
    const away = "postgresql://moraine@127.0.0.1:1/moraine";
    const found = await compareReplicas(primary.url, [standby.url, other.url, wrong, away]);
    expect(found.map(({ contradiction, outage }) => contradiction ?? outage)).toEqual([
      null,
      "it is no replica of the server of databaseUrl",
      "it names the database postgres, and databaseUrl names moraine",
      "connection refused",
    ]);
    const placed = (main: string, cell = main) => {
      const chain = { chainId: 1, databaseUrl: cell };
      return placementOf({ evmChains: [chain], primaryNetworks: [] }, main);
    };
    await requireServers(placed(primary.url), [standby.url, away]);
    await expect(requireServers(placed(primary.url), [other.url])).rejects.toThrow(
      /^setting databaseReadUrls names .*, which cannot be used: it is no replica/,
    );
    await expect(requireServers(placed(primary.url, standby.url), [])).rejects.toThrow(
      /^the database 127\.0\.0\.1:\d+\/moraine cannot be used \(the server is a standby/,
    );
    await expect(requireServers(placed(standby.url), [])).rejects.toThrow(
      /the server is a standby, which cannot be written/,
    );
  });

  it("are refused with the missing right if a role may not read which server they copy", async () => {
    const { primary, standby } = servers;
    const [url = "", readUrl = ""] = [primary, standby].map((one) => one.url.replace("//moraine@", "//reader@"));
    await primary.ask("CREATE ROLE reader LOGIN");
    await servers.caughtUp();
    expect(await compareReplicas(url, [readUrl])).toMatchObject([{ contradiction: null, outage: null }]);
    await primary.ask("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC");
    await servers.caughtUp();
    const refusal = /^setting databaseReadUrls: .*run GRANT EXECUTE ON FUNCTION pg_control_system\(\) TO this role/;
    await expect(compareReplicas(url, [readUrl])).rejects.toThrow(refusal);
    await expect(compareReplicas(primary.url, [readUrl])).rejects.toThrow(refusal);
  });
});

describe("a replica that is lost", () => {
  it("fails no request when it is killed, and is used again after it has come back", async () => {
    let isOver = false;
    const loading = load(() => isOver);
    await servers.standby.kill();
    await untilState((reason) => reason !== null);
    expect(reasonNow()).toMatch(/^it cannot be used: (connection|it is)/);
    await servers.standby.start();
    await untilState((reason) => reason === null);
    isOver = true;
    const seen = await loading;
    // The same answer for each path, before, during and after.
    expect([...seen.keys()].map((key) => key.split(" ").slice(0, 2))).toEqual(
      expect.arrayContaining(PATHS.map((path) => [path, "200"])),
    );
    expect(seen.size).toBe(PATHS.length);
    const told = lines.filter(({ msg }) => String(msg).startsWith("the replica 127.0.0.1:"));
    expect(told.map(({ level }) => level)).toEqual([40, 30]);
  });

  it("goes on to be read when it is promoted", async () => {
    expect(await servers.standby.ask("SELECT pg_promote()")).toBe(true);
    await servers.primary.kill();
    const isReplica = await servers.standby.ask("SELECT pg_is_in_recovery()");
    expect(isReplica).toBe(false);
    for (const path of PATHS) expect((await stack.get(`${path}?pageSize=5`)).status).toBe(200);
    expect(reasonNow()).toBeNull();
  });
});
