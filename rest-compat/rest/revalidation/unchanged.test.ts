import pino from "pino";
import { createLocalCounters } from "../../../core/limits/rate-counters.ts";
import { testConfig } from "../../../test/support/config.ts";
import { listen } from "../../../test/support/node/listen.ts";
import { createSmallGraph, SMALL_CHAIN } from "../../../test/support/small-graph.ts";
import { createRestServer } from "../../rest-server.ts";

const BLOCK = {
  chainId: "7",
  blockNumber: "1",
  blockTimestamp: 1,
  blockHash: "0x",
  txCount: 0,
  baseFee: "0",
  gasUsed: "0",
  gasLimit: "0",
  gasCost: "0",
  parentHash: "0x",
  feesSpent: "0",
  cumulativeTransactions: "0",
};
const PATH = "/v1/chains/7/blocks";

/** A server whose clock, head and blocks the test sets. It counts how often the blocks are read. */
async function serve() {
  const state = { ms: 0, head: "1", blocks: [BLOCK], reads: 0 };
  const graph = createSmallGraph({
    chains: () => ({ chains: [{ ...SMALL_CHAIN, chainId: "7", indexing: { blockNumber: state.head } }] }),
    evmBlocks: () => {
      state.reads++;
      return { nodes: state.blocks };
    },
  });
  const logger = pino({ level: "silent" });
  const options = { graph, config: testConfig(), logger, counters: createLocalCounters(), nowMs: () => state.ms };
  const listener = await listen(createRestServer(options).handler);
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(listener.url + path, { headers });
    const [etag = "", vary] = ["etag", "vary"].map((name) => response.headers.get(name) ?? "");
    return { status: response.status, etag, vary, text: await response.text() };
  };
  return { ...listener, state, get };
}

describe("a conditional request for a list", () => {
  it("is answered with 304 and without reading rows, until the chain has a new block", async () => {
    await using rest = await serve();
    const { etag } = await rest.get(PATH);
    const ask = () => rest.get(PATH, { "if-none-match": etag });
    expect(await ask()).toEqual({ status: 304, etag, vary: "accept-encoding", text: "" });
    expect(rest.state.reads).toBe(2);
    expect(await ask()).toEqual({ status: 304, etag, vary: "accept-encoding", text: "" });
    expect(rest.state.reads).toBe(2);
    Object.assign(rest.state, { ms: 1_000, head: "2", blocks: [BLOCK, BLOCK] });
    const changed = await ask();
    expect(changed).toMatchObject({ status: 200, text: expect.stringContaining('"blockNumber":"1"') });
    expect(changed.etag).not.toBe(etag);
    expect(rest.state.reads).toBe(3);
  });

  it("reads the rows again after ten seconds without a block", async () => {
    await using rest = await serve();
    const { etag } = await rest.get(PATH);
    await rest.get(PATH, { "if-none-match": etag });
    Object.assign(rest.state, { ms: 10_000, blocks: [] });
    expect((await rest.get(PATH, { "if-none-match": etag })).status).toBe(200);
  });

  it("with the tag of another page, or for a chain without a head, reads the rows", async () => {
    await using rest = await serve();
    const { etag } = await rest.get(PATH);
    await rest.get(PATH, { "if-none-match": etag });
    expect((await rest.get(PATH, { "if-none-match": '"other"' })).status).toBe(200);
    const other = await rest.get("/v1/chains/8/blocks", { "if-none-match": '"other"' });
    expect(other.status).toBe(200);
    expect((await rest.get("/v1/chains/8/blocks", { "if-none-match": other.etag })).status).toBe(304);
    expect(rest.state.reads).toBe(5);
  });

  it("is refused like any other request", async () => {
    await using rest = await serve();
    const { etag } = await rest.get(PATH);
    const headers = { "if-none-match": etag };
    expect((await rest.get(`${PATH}?pageSize=x`, headers)).status).toBe(400);
    expect((await rest.get(PATH, { ...headers, "x-service-api-key": "unknown key" })).status).toBe(401);
  });
});
