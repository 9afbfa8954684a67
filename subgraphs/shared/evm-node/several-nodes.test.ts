import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import { Failure } from "../../../core/errors/errors.ts";
import { testConfig } from "../../../test/support/config.ts";
import { createTestDatabase } from "../../../test/support/database/database.ts";
import {
  results,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedNode,
  startScriptedNode,
} from "../../../test/support/node/scripted-node.ts";
import { createQuarantinedNodes } from "../nodes/quarantined-nodes.ts";
import { createEvmNodeClient, type NodeAnswer, type QuarantinedChainNodes } from "./evm-node-client.ts";

const CHAIN = 7;
const CALLS = ["0x1", "0x2"].map((address) => ({ method: "eth_getBalance", params: [address, "latest"] }));
const PRUNED = { code: -32_000, message: "missing trie node" };
const REVERTED = { code: 3, message: "execution reverted", data: "0x" };

type Answer = (calls: ScriptedCall[]) => ScriptedAnswer | null;

const right: Answer = (calls) => ({ body: results(calls, ({ params }) => params[0]) });
const withError =
  (error: object): Answer =>
  (calls) => ({ body: calls.map(({ id }) => ({ jsonrpc: "2.0", id, error })) });

/** Sends the calls to a chain with two nodes. */
async function sendTo(answers: readonly [Answer, Answer], quarantined?: QuarantinedChainNodes, times = 1) {
  await using first = await startScriptedNode(answers[0]);
  await using second = await startScriptedNode(answers[1]);
  const nodeUrls = [first, second].map(({ url }, i) => ({ url, headers: { "x-key": `key ${i + 1}` } }));
  const config = testConfig({ evmChains: [{ chainId: CHAIN, network: "fuji", chainName: "Seven", nodeUrls }] });
  await using client = createEvmNodeClient({
    requestTimeoutMs: 300,
    connections: 4,
    maxResponseBytes: 1 << 20,
    quarantined,
  });
  let given: (NodeAnswer | Failure)[] = [];
  for (let i = 0; i < times; i++) given = await client.send(config.evmChains[0] as EvmChainConfig, CALLS);
  const keysOf = ({ headers }: ScriptedNode) => [...new Set(headers.map((one) => one["x-key"]))];
  const asked = [first, second].map(({ requests }) => requests.length);
  return { given, asked, keys: [keysOf(first), keysOf(second)] };
}

const values = (given: readonly (NodeAnswer | Failure)[]) =>
  given.map((answer) => (answer instanceof Failure ? answer.code : (answer.result ?? answer.error?.message)));

describe("requests of the API to a chain with several nodes", () => {
  it("go to the first node, with its own headers only", async () => {
    const { given, asked, keys } = await sendTo([right, right]);
    expect(values(given)).toEqual(["0x1", "0x2"]);
    expect(asked).toEqual([1, 0]);
    expect(keys).toEqual([["key 1"], []]);
  });

  it.each<[what: string, first: Answer]>([
    ["is overloaded", () => ({ status: 503 })],
    ["hangs", () => null],
    ["has pruned the state", withError(PRUNED)],
  ])("go to the next node if the first one %s", async (_what, first) => {
    const { given, asked, keys } = await sendTo([first, right]);
    expect(values(given)).toEqual(["0x1", "0x2"]);
    expect(asked).toEqual([1, 1]);
    expect(keys).toEqual([["key 1"], ["key 2"]]);
  });

  it("begin with the other node while the first one does not answer", async () => {
    const { given, asked } = await sendTo([() => ({ status: 503 }), right], undefined, 3);
    expect(values(given)).toEqual(["0x1", "0x2"]);
    expect(asked).toEqual([1, 3]);
  });

  it("only repeat the calls that the first node did not answer", async () => {
    const half: Answer = (calls) => ({
      body: calls.map(({ id }) => ({ jsonrpc: "2.0", id, ...(id === 0 ? { result: "0x9" } : { error: PRUNED }) })),
    });
    expect(values((await sendTo([half, right])).given)).toEqual(["0x9", "0x2"]);
  });

  it("do not ask another node after an error of a contract", async () => {
    const { given, asked } = await sendTo([withError(REVERTED), right]);
    expect(values(given)).toEqual(["execution reverted", "execution reverted"]);
    expect(asked).toEqual([1, 0]);
  });

  it("have the answer of the first node if no node has a better one", async () => {
    const { given } = await sendTo([withError(PRUNED), () => ({ status: 503 })]);
    expect(values(given)).toEqual(["missing trie node", "missing trie node"]);
  });

  it("never go to a node that the indexer has quarantined", async () => {
    await using database = await createTestDatabase();
    const store = (nodes: readonly object[]) =>
      database.pool.query(
        `INSERT INTO chain_progress (chain_id, state, blocks_per_second, updated_at, nodes) VALUES ($1, 'FOLLOWING', 0, 0, $2)
         ON CONFLICT (chain_id) DO UPDATE SET nodes = excluded.nodes`,
        [CHAIN, JSON.stringify(nodes)],
      );
    await store([
      { name: "node 1", state: "QUARANTINED" },
      { name: "node 2", state: "UNAVAILABLE" },
    ]);
    expect(await sendTo([right, right], createQuarantinedNodes(database))).toMatchObject({ asked: [0, 1] });
    await store(["node 1", "node 2"].map((name) => ({ name, state: "QUARANTINED" })));
    const { given, asked } = await sendTo([right, right], createQuarantinedNodes(database));
    expect(values(given)).toEqual(["UNAVAILABLE", "UNAVAILABLE"]);
    expect(asked).toEqual([0, 0]);
  });
});
