import { testConfig } from "../../test/support/config.ts";
import { startOwnServer } from "../../test/support/database/own-server.ts";
import { createLogLines } from "../../test/support/log-lines.ts";
import type { Config } from "../config/config-schema.ts";
import { placementOf } from "../database/placement.ts";
import {
  allSessions,
  cellSessions,
  checkServers,
  embeddedConnections,
  embeddedLocks,
  indexerSessions,
} from "./database-sessions.ts";

const withChains = (count: number, settings = {}) => ({
  ...testConfig(settings),
  evmChains: Array.from({ length: count }, () => ({})) as never,
});

describe("the sessions of the settings", () => {
  it("are one for each chain, but at most eight, and a few more, for each process", () => {
    expect(indexerSessions(withChains(3), 1)).toEqual({ part: "indexer", held: 5, most: 10 });
    expect(indexerSessions(withChains(250), 1)).toEqual({ part: "indexer", held: 10, most: 15 });
    expect(indexerSessions(withChains(250), 4)).toEqual({ part: "indexer", held: 40, most: 60 });
  });

  it.each([
    [1, 1, 200],
    [500, 1, 200],
    [500, 16, 293],
  ])(
    "of %d chains in %d processes need an embedded server with max_connections = %d",
    (chains, processes, connections) => {
      const exports = { isOn: true, concurrency: 2 };
      expect(embeddedConnections(allSessions(withChains(chains, { exports }), processes))).toBe(connections);
    },
  );

  it.each([
    [2, 64],
    [500, 500],
  ])("of %d chains need an embedded server with max_locks_per_transaction = %d", (chains, locks) => {
    expect(embeddedLocks(withChains(chains))).toBe(locks);
  });

  it("are compared with the server's limit at the start", async () => {
    await using server = await startOwnServer();
    const { logger, lines } = createLogLines("info");
    const check = (chains: number, processes: number) => {
      const config = withChains(chains);
      return checkServers(config, placementOf(config, server.url), (one) => allSessions(one, processes), logger);
    };
    await check(10, 1);
    await check(180, 15);
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      [
        30,
        expect.stringMatching(
          /^Moraine opens up to \d+ database sessions \(API 25, indexer 15.*\), .* must be at least \d+; it is 200$/,
        ),
      ],
      [
        40,
        expect.stringMatching(
          /^max_connections of the database server is 200\. Moraine opens up to .* databasePoolSize smaller$/,
        ),
      ],
    ]);
    await expect(check(250, 25)).rejects.toThrow(
      /^max_connections of the database server is 200, which is too small\. .* must be at least \d+$/,
    );
  });

  it("in several databases of a server are added up", async () => {
    await using server = await startOwnServer();
    const { logger, lines } = createLogLines("info");
    const databaseUrl = new URL("/other", server.url).href;
    const chain = { chainId: 1, network: "fuji", chainName: "one", nodeUrl: "http://127.0.0.1:1" };
    const config = testConfig({ api: { processes: 2 }, evmChains: [chain, { ...chain, chainId: 2, databaseUrl }] });
    const sessionsIn = (one: Config, isMain: boolean) => (isMain ? allSessions : cellSessions)(one, 1);
    await checkServers(config, placementOf(config, server.url), sessionsIn, logger);
    expect(lines.map(({ msg }) => msg)).toEqual([
      expect.stringMatching(
        /^Moraine opens up to \d+ database sessions \(API in 127\.0\.0\.1:\d+\/\w+ 50, indexer in .* 8, .*signatures in \S+ 4, .*API in 127\.0\.0\.1:\d+\/other 46, indexer in .*\/other 8/,
      ),
    ]);
  });
});
