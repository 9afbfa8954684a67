import { openRecording } from "../recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../replay-node.ts";

const FIRST = "NodeID-4gmbptn1Kkfu9nmFYJvhVSUvQgxbBAedM";
const SECOND = "NodeID-KYm3HuworWf8bheTDrkvUtMHkbegiVnQZ";
const UNKNOWN = "NodeID-111111111111111111116DBWJs";
const INVALID_PARAMS =
  "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls";

const ALIASES: Readonly<Record<string, readonly string[]>> = { P: ["P", "platform"], X: ["X", "avm"], C: ["C", "evm"] };

let node: ReplayNode;
beforeAll(async () => {
  node = await startReplayNode({ recording: openRecording(ALPHA) });
});
afterAll(() => node[Symbol.asyncDispose]());

interface Answer {
  readonly result?: {
    readonly numPeers: string;
    readonly peers: readonly { readonly nodeID: string }[];
    readonly isBootstrapped?: boolean;
    readonly blockchainID?: string;
  };
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
      [SECOND, UNKNOWN, null, SECOND],
      [SECOND, SECOND],
    ],
    [[UNKNOWN, UNKNOWN], []],
  ])("lists the peers %j, a selection that was not recorded", async (nodeIDs, expected) => {
    const { result } = await ask("info.peers", { nodeIDs });
    expect(result?.peers.map(({ nodeID }) => nodeID)).toEqual(expected);
    expect(result?.numPeers).toBe(String(expected.length));
  });

  it.each([[["NodeID-1"]], [[7]], ["NodeID-1"]])("refuses %j as node ids", async (nodeIDs) => {
    expect((await ask("info.peers", { nodeIDs })).error?.message).toBe(INVALID_PARAMS);
  });

  it("ignores parameters of a method that has none", async () => {
    const whole = await ask("info.peers", {});
    expect(await ask("info.peers", { chain: "P" })).toEqual(whole);
    expect(await ask("info.uptime", { subnetID: "none" })).toEqual(await ask("info.uptime", {}));
  });

  it("refuses a missing chain with the node's message", async () => {
    expect((await ask("info.isBootstrapped", { chain: "" })).error?.message).toBe("argument 'chain' not given");
  });

  it("knows every chain by its blockchain id and by each of its aliases", async () => {
    for (const { alias, blockchainId } of node.recording.manifest.chains)
      for (const name of [blockchainId, ...(ALIASES[alias] ?? [])]) {
        expect((await ask("info.isBootstrapped", { chain: name })).result).toEqual({ isBootstrapped: true });
        expect((await ask("info.getBlockchainID", { alias: name })).result).toEqual({ blockchainID: blockchainId });
      }
  });

  it.each(["foo", "p", "P ", "2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM"])(
    "refuses the unknown chain %j with the node's messages",
    async (name) => {
      expect((await ask("info.isBootstrapped", { chain: name })).error?.message).toBe(
        `there is no chain with alias/ID '${name}'`,
      );
      expect((await ask("info.getBlockchainID", { alias: name })).error?.message).toBe(
        `there is no ID with alias: ${name}`,
      );
    },
  );
});
