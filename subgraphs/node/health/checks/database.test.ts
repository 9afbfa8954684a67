import { setTimeout as sleep } from "node:timers/promises";
import type { Databases } from "../../../../core/database/database.ts";
import { openDatabase } from "../../../../core/database/open-database.ts";
import { createLogger } from "../../../../core/observability/logger.ts";
import { testConfig } from "../../../../test/support/config.ts";
import { freezeServer, postmasterPid } from "../../../../test/support/database/frozen-server.ts";
import { type OwnServer, startOwnServer } from "../../../../test/support/database/own-server.ts";
import { startTcpProxy } from "../../../../test/support/node/tcp-proxy.ts";
import { createIndexingProgress } from "../indexing/progress.ts";
import { databaseCheck } from "./database.ts";

const { signal } = new AbortController();
const PREFIX = "the database cannot be used: ";
let server: OwnServer;
let database: Databases;

beforeAll(async () => {
  server = await startOwnServer();
  database = openDatabase(server.url, 3, createLogger("silent"));
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** Runs a check until it passes, and gives what it said until then. */
async function untilItPasses(check: ReturnType<typeof databaseCheck>): Promise<Set<string>> {
  const errors = new Set<string>();
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(50)) {
    const { error } = await check(signal);
    if (error === undefined) return errors;
    errors.add(error);
  }
  throw new Error(`it did not pass: ${[...errors].join("; ")}`);
}

describe("the check database", () => {
  it("passes without a message", async () => {
    expect(await databaseCheck(database, 5_000)(signal)).toEqual({});
  });

  it("fails while the server is stopped, and passes when it runs again", async () => {
    const check = databaseCheck(database, 5_000);
    await check(signal);
    process.kill(postmasterPid(server.directory), "SIGINT");
    await sleep(100);
    const errors = await untilItPasses(check);
    expect(errors.size).toBeGreaterThan(0);
    for (const error of errors)
      expect(error).toMatch(
        /^the database cannot be used: (connection (refused|lost)|it is (shutting down|starting up or shutting down))$/,
      );
  });

  it("fails within the time limit with one message while the server is frozen, as do checks that read the index", async () => {
    const check = databaseCheck(database, 60);
    await check(signal);
    const chain = { chainId: 7, network: "fuji", nodeUrl: "http://127.0.0.1:1", chainName: "seven" };
    const config = testConfig({ evmChains: [chain] });
    const indexing = createIndexingProgress(database, config, { refresh: async () => {} }, 60);
    await indexing.read().catch(() => {});
    {
      using _frozen = await freezeServer(server.directory, database.pool);
      const errors = new Set<unknown>();
      const messages = new Set<unknown>();
      for (let run = 0; run < 35; run++) {
        const read = indexing.read().catch(({ message }: Error) => message);
        errors.add((await check(signal)).error);
        messages.add(await read);
      }
      expect([...errors, ...messages]).toEqual([`${PREFIX}no answer in time`, "the database does not answer"]);
    }
    await untilItPasses(check);
  });

  it("fails while the connection is cut, without address, account or password", async () => {
    await using proxy = await startTcpProxy(server.url.replace(/^postgresql/, "http"));
    const url = proxy.through(server.url);
    await using through = openDatabase(url, 2, createLogger("silent"));
    const check = databaseCheck(through, 2_000);
    expect(await check(signal)).toEqual({});
    proxy.cut();
    expect(await check(signal)).toEqual({ error: `${PREFIX}connection lost` });
    proxy.restore();
    await untilItPasses(check);
  });

  it.each([
    [(url: string) => url.replace(/:[^:@]*@/, ":wrong@"), "access refused"],
    [(url: string) => url.replace(/moraine$/, "other"), "the database does not exist"],
    [(url: string) => url.replace("127.0.0.1", "no-such-host.invalid"), "its host name cannot be resolved"],
    [() => "postgresql://nobody:secret@127.0.0.1:9/none", "connection refused"],
  ])("names the reason why the database cannot be used: case %#", async (changed, reason) => {
    await using wrong = openDatabase(changed(server.url), 1, createLogger("silent"));
    expect(await databaseCheck(wrong, 2_000)(signal)).toEqual({ error: PREFIX + reason });
  });
});
