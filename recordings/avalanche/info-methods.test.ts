import { openRecording } from "../recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../replay-node.ts";

const [FIRST, SECOND] = ["NodeID-4gmbptn1Kkfu9nmFYJvhVSUvQgxbBAedM", "NodeID-KYm3HuworWf8bheTDrkvUtMHkbegiVnQZ"];
const NOBODY = "NodeID-111111111111111111116DBWJs";
const NOT_READ =
  "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls";

let node: ReplayNode;
beforeAll(async () => {
  node = await startReplayNode({ recording: openRecording(ALPHA) });
});
afterAll(() => node[Symbol.asyncDispose]());

interface Answer {
  readonly result?: { readonly numPeers: string; readonly peers: readonly { readonly nodeID: string }[] };
  readonly error?: { readonly message: string };
}

async function ask(method: string, params: unknown): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  return (await (await fetch(`${node.url}/ext/info`, { method: "POST", headers, body })).json()) as Answer;
}

describe("the replayed Info interface", () => {
  it.each([
    [
      [SECOND, FIRST],
      [SECOND, FIRST],
    ],
    [
      [SECOND, NOBODY, null, SECOND],
      [SECOND, SECOND],
    ],
    [[NOBODY, NOBODY], []],
  ])("answers for peers that nobody asked for in that way: %j", async (nodeIDs, expected) => {
    const { result } = await ask("info.peers", { nodeIDs });
    expect(result?.peers.map(({ nodeID }) => nodeID)).toEqual(expected);
    expect(result?.numPeers).toBe(String(expected.length));
  });

  it.each([[["NodeID-1"]], [[7]], ["NodeID-1"]])("refuses node ids that are none: %j", async (nodeIDs) => {
    expect((await ask("info.peers", { nodeIDs })).error?.message).toBe(NOT_READ);
  });

  it("ignores parameters that a method does not have", async () => {
    const whole = await ask("info.peers", {});
    expect(await ask("info.peers", { chain: "P" })).toEqual(whole);
    expect(await ask("info.uptime", { subnetID: "none" })).toEqual(await ask("info.uptime", {}));
  });

  it("asks for the chain that is missing", async () => {
    expect((await ask("info.isBootstrapped", { chain: "" })).error?.message).toBe("argument 'chain' not given");
  });
});
