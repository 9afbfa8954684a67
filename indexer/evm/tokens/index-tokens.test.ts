import { createTestDatabase } from "../../../test/support/database/database.ts";
import { startIndexing, until } from "../../../test/support/indexed/indexing.ts";
import { syntheticChain } from "../../../test/support/indexed/synthetic-chain.ts";
import { type ScriptedAnswer, type ScriptedCall, startScriptedNode } from "../../../test/support/node/scripted-node.ts";

const CHAIN = 77;
const tokenAt = (number: number): string => number.toString(16).padStart(40, "0");
const chain = syntheticChain("tokens", 60, (number) => (number > 0 ? { token: tokenAt(number) } : {}));
const NAME = `0x${Buffer.from("Token").toString("hex").padEnd(64, "0")}`;

type NodeAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };

/** The node's answers to methods other than `eth_call`. */
function answerTo({ method, params }: ScriptedCall): NodeAnswer {
  const number = params[0] === "latest" ? chain.length - 1 : Number(params[0]);
  if (method.startsWith("debug_")) return { error: { code: -32601, message: `the method ${method} does not exist` } };
  if (method === "eth_chainId") return { result: `0x${CHAIN.toString(16)}` };
  return { result: chain[number]?.[method === "eth_getBlockReceipts" ? "receipts" : "block"] ?? null };
}

/** A node with the chain, whose contracts answer as the test defines; null: the whole request is never answered. */
function startNode(onCall: (token: number, count: number) => NodeAnswer | null) {
  const counts = new Map<number, number>();
  return startScriptedNode((calls): ScriptedAnswer | null => {
    const answers = calls.map((call) => {
      if (call.method !== "eth_call") return answerTo(call);
      const token = Number((call.params[0] as { to: string }).to);
      counts.set(token, (counts.get(token) ?? 0) + 1);
      return onCall(token, counts.get(token) ?? 0);
    });
    if (answers.includes(null)) return null;
    const bodies = answers.map((answer, i) => ({ jsonrpc: "2.0", id: calls[i]?.id, ...answer }));
    return { body: bodies.length === 1 ? bodies[0] : bodies };
  });
}

async function indexed(onCall: Parameters<typeof startNode>[0], expected: number) {
  await using database = await createTestDatabase();
  await using node = await startNode(onCall);
  const indexing = { requestTimeoutMs: 200 };
  await using _indexing = await startIndexing({ chainId: CHAIN, nodeUrl: node.url, database, indexing });
  const text = "SELECT address, name FROM erc20_tokens WHERE metadata_status = 'INDEXED' ORDER BY address";
  const look = async () => (await database.pool.query<{ address: Buffer; name: string }>(text)).rows;
  const rows = await until(look, ({ length }) => length >= expected, `${expected} tokens`);
  const { rows: heads } = await database.pool.query("SELECT block_number FROM chain_heads");
  expect(heads).toEqual([{ block_number: "59" }]);
  return new Map(rows.map(({ address, name }) => [address.readUInt32BE(16), name]));
}

describe("a contract that the node cannot call", () => {
  it.concurrent("because the call never ends does not delay other contracts or blocks", async () => {
    const names = await indexed((token) => (token === 7 ? null : { result: NAME }), 58);
    expect(names.has(7)).toBe(false);
    expect(new Set(names.values())).toEqual(new Set(["Token"]));
  });

  it.concurrent.each([
    [-32601, "the method eth_call does not exist/is not available"],
    [-32000, "missing trie node 56e81f17 (path )"],
    [-32000, "header not found"],
    [-32000, "required historical state unavailable: state not available"],
  ])("because of an error of the node (%d %s) is called again", async (code, message) => {
    const names = await indexed(
      (token, count) => (token === 7 && count <= 3 ? { error: { code, message } } : { result: NAME }),
      59,
    );
    expect(names.get(7)).toBe("Token");
  });

  it.concurrent.each([
    [3, "execution reverted: missing trie node"],
    [-32000, "execution reverted: header not found"],
    [-32000, "out of gas"],
    [-32000, "invalid opcode: INVALID"],
  ])("because of an error of the contract (%d %s) is not called again, and has no name", async (code, message) => {
    let asked = 0;
    const names = await indexed((token) => {
      if (token !== 7) return { result: NAME };
      asked++;
      return { error: { code, message } };
    }, 59);
    expect([names.get(7), asked]).toEqual(["", 3]);
  });
});
