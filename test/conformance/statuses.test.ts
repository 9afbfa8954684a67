import { openDatabase } from "../../core/database/open-database.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { testConfig } from "../support/config.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { listen } from "../support/node/listen.ts";
import { startTcpProxy } from "../support/node/tcp-proxy.ts";
import { type Answer, startStack } from "../support/stack.ts";
import { expectContract } from "./contract.ts";

const CHAIN = { chainId: 7, network: "fuji", nodeUrl: "http://127.0.0.1:1", chainName: "Any" };
const BLOCKS = "/v1/chains/7/blocks";
const WALLET = `/v1/chains/7/addresses/0x${"1".repeat(40)}/transactions:listErc20`;
const PATHS = ["/v1/chains", "/v1/chains/7", BLOCKS, WALLET];

const config = testConfig({ evmChains: [CHAIN] });
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  // One block is indexed: otherwise every answer about the chain is 503.
  await database.pool.query("INSERT INTO chain_heads VALUES (7, '', 1, 0, '\\x00', 0, 0)");
});
afterAll(() => database[Symbol.asyncDispose]());

/** Validates an error against the REST specification, and returns its status and body. */
function refused(path: string, { status, body }: Answer): [number, string] {
  expectContract("GET", path, status, body);
  return [status, (body as { message: string }).message];
}

describe("each of the eight error statuses through the whole stack:", () => {
  it("400, 401, 403, 404 and 429", async () => {
    const apiKeys = [{ key: "key-of-mainnet", networks: ["mainnet"], computeUnitsPerMinute: 20 }];
    await using stack = await startStack({ database, config, settings: { apiKeys }, nowMs: () => 0 });
    const status = async (path: string, key = "key-of-mainnet") =>
      refused(path, await stack.get(path, { headers: { "x-service-api-key": key } }))[0];
    expect(await status(`${BLOCKS}?pageSize=0`, "unknown-key")).toBe(401);
    expect(await status("/v1/chains/7")).toBe(403);
    expect(await status("/v1/chains/8")).toBe(404);
    expect(await status(`${BLOCKS}?pageSize=x`)).toBe(400);
    expect(await status(BLOCKS)).toBe(429);
  });

  it("500 for a bug, with only a request id, under which the log has the details", async () => {
    await using broken = await createTestDatabase();
    await using stack = await startStack({ database: broken, config });
    await broken.pool.query("ALTER TABLE evm_blocks RENAME TO lost");
    const [status, message] = refused(BLOCKS, await stack.get(BLOCKS, { headers: { "x-request-id": "find-me" } }));
    expect([status, message]).toEqual([500, "unexpected error, the log has it under request id find-me"]);
  });

  it("502 if another server answers in place of a subgraph", async () => {
    await using garbage = await listen((_, response) => response.end("<html>secret</html>"));
    await using stack = await startStack({ database, config, evmSubgraphUrl: garbage.url });
    for (const path of PATHS) {
      const [status, message] = refused(path, await stack.get(path));
      expect([status, message.includes("secret")]).toEqual([502, false]);
    }
  });

  it("503 while a subgraph is unavailable", async () => {
    await using stack = await startStack({ database, config, evmSubgraphUrl: "http://127.0.0.1:1" });
    for (const path of PATHS) expect(refused(path, await stack.get(path))[0]).toBe(503);
    expect((await stack.get("/v1/live-check")).status).toBe(200);
    expect((await stack.get("/v1/health-check")).status).toBe(503);
  });

  it("503 while the database is unavailable, and 200 when it runs again", async () => {
    await using proxy = await startTcpProxy(database.url);
    await using proxied = openDatabase(proxy.through(database.url), 3, createLogger("silent"));
    await using stack = await startStack({ database: proxied, config });
    for (const path of PATHS) expect((await stack.get(path)).status).toBe(200);
    proxy.cut();
    for (const path of PATHS) {
      const [status, message] = refused(path, await stack.get(path));
      expect([status, message]).toEqual([503, "the database cannot be reached"]);
    }
    proxy.restore();
    for (const path of PATHS) expect((await stack.get(path)).status).toBe(200);
  });
});
