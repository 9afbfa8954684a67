import { type ExecutionResult, graphql } from "graphql";
import { createLogger } from "../../../core/observability/logger.ts";
import { createWork } from "../../../core/work/work.ts";
import { testConfig } from "../../../test/support/config.ts";
import type { TestDatabase } from "../../../test/support/database/database.ts";
import {
  createHoldersDatabase,
  HOLDERS_CHAIN,
  HOLDERS_HEAD,
  LARGE_TOKEN,
} from "../../../test/support/indexed/holders-chain.ts";
import {
  results,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedNode,
  startScriptedNode,
} from "../../../test/support/node/scripted-node.ts";
import { createSubgraph as createMetricsSubgraph, type MetricsSubgraph } from "../subgraph.ts";

let database: TestDatabase;
let node: ScriptedNode;
let metrics: MetricsSubgraph;
/** The three greatest holders. */
let holdersOfToken: string[] = [];
/** What the node answers in the current test. */
let answer: (calls: ScriptedCall[], request: number) => ScriptedAnswer | null;

beforeAll(async () => {
  database = await createHoldersDatabase();
  node = await startScriptedNode((calls, request) => answer(calls, request));
  const chain = {
    chainId: Number(HOLDERS_CHAIN),
    network: "fuji",
    nodeUrl: node.url,
    nodeHeaders: { authorization: "secret" },
    chainName: "Holders",
  };
  const config = testConfig({ evmChains: [chain], indexing: { requestTimeoutMs: 300 } });
  metrics = await createMetricsSubgraph({ config, database, logger: createLogger("silent") });
  const { list } = await tokenOf("list: holders(first: 3) { holders: nodes { address } }");
  holdersOfToken = list.holders.map(({ address }) => address);
}, 30_000);
beforeEach(() => {
  node.requests.length = 0;
});
afterAll(async () => {
  await metrics[Symbol.asyncDispose]();
  await node[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

interface Token {
  readonly list: { readonly holders: readonly { address: string; balance: string; isApproximate: boolean | null }[] };
}

async function tokenOf(fields: string): Promise<Token & Record<string, unknown>> {
  const key = `{ __typename: "Erc20Token", chainId: "${HOLDERS_CHAIN}", address: "${LARGE_TOKEN}" }`;
  const source = `{ _entities(representations: [${key}]) { ... on Erc20Token { ${fields} } } }`;
  const { data, errors }: ExecutionResult = await graphql({
    schema: metrics.schema,
    source,
    contextValue: metrics.context({ work: createWork(), requestId: "test" }),
  });
  expect(errors).toBeUndefined();
  return (data as { _entities: [Token & Record<string, unknown>] })._entities[0];
}

const word = (number: bigint): string => `0x${number.toString(16).padStart(64, "0")}`;
const hashOf = (block: number): string => `0x${block.toString(16).padStart(16, "0")}`;
const approximations = ({ list }: Token) => list.holders.map(({ isApproximate }) => isApproximate);

describe("Erc20Holder.isApproximate", () => {
  const CHECKED = "holders: nodes { address balance isApproximate }";

  it("compares each balance with balanceOf after the same block, in batches of one hundred calls", async () => {
    answer = () => ({ status: 500 });
    const { list } = await tokenOf("list: holders(first: 250) { holders: nodes { address balance } }");
    expect(node.requests).toEqual([]);
    const held = new Map(list.holders.map(({ address, balance }) => [address.slice(2).toLowerCase(), BigInt(balance)]));
    // Every seventh balance differs.
    const wrong = list.holders.map((_, index) => index % 7 === 0);
    const different = new Set(
      list.holders.filter((_, index) => wrong[index]).map(({ address }) => address.slice(2).toLowerCase()),
    );
    answer = (calls) => ({
      body: results(calls, ({ params }) => {
        const holder = (params[0] as { data: string }).data.slice(-40);
        return word((held.get(holder) ?? 0n) + (different.has(holder) ? 1n : 0n));
      }),
    });
    expect(approximations(await tokenOf(`list: holders(first: 250) { ${CHECKED} }`))).toEqual(wrong);
    expect(node.requests.map((calls) => calls.length).sort()).toEqual([100, 100, 50]);
    const [first] = list.holders;
    expect(node.requests.flat()).toContainEqual(
      expect.objectContaining({
        method: "eth_call",
        params: [
          { to: LARGE_TOKEN, data: `0x70a08231${"0".repeat(24)}${first?.address.slice(2).toLowerCase()}` },
          { blockHash: hashOf(HOLDERS_HEAD) },
        ],
      }),
    );
    expect(node.headers.at(-1)).toMatchObject({ authorization: "secret" });
  });

  it.each([
    ["holders after a block", "holders(at: { block: 5000 }, first: 3)", 5_000],
    [
      "holders above a threshold, with their current balances",
      'holdersAbove(threshold: "9", filter: { toTime: 4000 }, first: 3)',
      HOLDERS_HEAD,
    ],
  ])("names the block of the balances: %s", async (_, list, block) => {
    answer = (calls) => ({ body: results(calls, () => word(1n)) });
    expect(approximations(await tokenOf(`list: ${list} { ${CHECKED} }`))).toEqual([true, true, true]);
    expect(node.requests.flat().map(({ params }) => params[1])).toEqual(
      Array.from({ length: 3 }, () => ({ blockHash: hashOf(block) })),
    );
  });

  it.each<[string, (calls: ScriptedCall[]) => ScriptedAnswer | null]>([
    ["does not answer in time", () => null],
    ["is overloaded", () => ({ status: 503, body: "busy" })],
    [
      "refuses batches",
      () => ({ body: { jsonrpc: "2.0", id: null, error: { code: -32_600, message: "batch too large" } } }),
    ],
    [
      "does not have the state of the block",
      (calls) => ({
        body: calls.map(({ id }) => ({ jsonrpc: "2.0", id, error: { code: -32_000, message: "missing trie node" } })),
      }),
    ],
    ["gets no number from the contract", (calls) => ({ body: results(calls, () => "0x") })],
    ["answers other calls", (calls) => ({ body: calls.map(({ id }) => ({ id: id + 50, result: word(1n) })) })],
    ["sends no JSON", () => ({ body: "[{" })],
  ])("is null if the node %s", async (_, given) => {
    answer = given;
    const list = await tokenOf(`list: holders(first: 2) { ${CHECKED} } isSupplyApproximate`);
    expect([approximations(list), list["isSupplyApproximate"]]).toEqual([[null, null], null]);
  });

  it("is null only for the calls that fail", async () => {
    answer = (calls) => ({
      body: calls
        .map(({ id }) =>
          id === 1 ? { id, error: { code: 3, message: "execution reverted" } } : { id, result: word(0n) },
        )
        .reverse(),
    });
    expect(approximations(await tokenOf(`list: holders(first: 3) { ${CHECKED} }`))).toEqual([true, null, true]);
  });
});

describe("Erc20Token.isSupplyApproximate", () => {
  it.each([
    [0n, false],
    [1n, true],
  ])("compares the supply with totalSupply, which returns %s: %s", async (supply, expected) => {
    answer = (calls) => ({ body: results(calls, () => word(supply)) });
    // The test's chain has no rows of supplies.
    expect(await tokenOf("totalSupply isSupplyApproximate")).toEqual({
      totalSupply: "0",
      isSupplyApproximate: expected,
    });
    expect(node.requests).toMatchObject([
      [{ method: "eth_call", params: [{ to: LARGE_TOKEN, data: "0x18160ddd" }, { blockHash: hashOf(HOLDERS_HEAD) }] }],
    ]);
  });

  it("names the block that `at` selects, by number or time", async () => {
    answer = (calls) => ({ body: results(calls, () => word(1n)) });
    const field = "isSupplyApproximate";
    const found = await tokenOf(`a: ${field}(at: { block: 5000 }) b: ${field}(at: { time: ${1_000 + 2 * 7_000 + 1} })`);
    expect(found).toEqual({ a: true, b: true });
    expect(node.requests.flat().map(({ params }) => params[1])).toEqual([
      { blockHash: hashOf(5_000) },
      { blockHash: hashOf(7_000) },
    ]);
  });
});

describe("Erc20TokenBalance.isApproximate", () => {
  async function balancesOf(fields: string): Promise<Record<string, unknown>[]> {
    const source = `{ ${holdersOfToken
      .map(
        (holder, i) => `a${i}: address(chainId: "${HOLDERS_CHAIN}", address: "${holder}") {
      erc20Balances { balances: nodes { ${fields} } } }`,
      )
      .join(" ")} }`;
    const { data, errors }: ExecutionResult = await graphql({
      schema: metrics.schema,
      source,
      contextValue: metrics.context({ work: createWork(), requestId: "test" }),
    });
    expect(errors).toBeUndefined();
    const addresses = data as Record<string, { readonly erc20Balances: { balances: Record<string, unknown>[] } }>;
    return Object.values(addresses).flatMap(({ erc20Balances }) => erc20Balances.balances);
  }

  it("compares each balance with balanceOf after the last indexed block, in one batch for all addresses", async () => {
    answer = () => ({ status: 500 });
    const balances = await balancesOf("balance");
    expect(balances.length).toBeGreaterThanOrEqual(holdersOfToken.length);
    expect(node.requests).toEqual([]);
    // The contract returns another number for the second address.
    answer = (calls) => ({
      body: results(calls, ({ id }) => word(BigInt(String(balances[id]?.["balance"])) + (id === 1 ? 1n : 0n))),
    });
    expect(await balancesOf("isApproximate")).toEqual(balances.map((_, index) => ({ isApproximate: index === 1 })));
    expect(node.requests).toHaveLength(1);
    expect(node.requests[0]?.map(({ params }) => params[1])).toEqual(
      balances.map(() => ({ blockHash: hashOf(HOLDERS_HEAD) })),
    );
    expect(node.requests[0]?.[0]?.params[0]).toMatchObject({
      data: `0x70a08231${"0".repeat(24)}${holdersOfToken[0]?.slice(2).toLowerCase()}`,
    });
  });

  it("is null if the node does not answer", async () => {
    answer = () => ({ status: 503 });
    const balances = await balancesOf("isApproximate");
    expect(balances).toEqual(balances.map(() => ({ isApproximate: null })));
  });
});
