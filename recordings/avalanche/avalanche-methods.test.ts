import { createReplayClient, type ReplayClient } from "../../test/support/node/replay-client.ts";
import { openRecording } from "../recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../replay-node.ts";
import { toChecked } from "./encodings.ts";

const recording = openRecording(ALPHA);
const C = "/ext/bc/C/rpc";
const P = "/ext/bc/P";
const P_INDEX = "/ext/index/P/block";

let node: ReplayNode;
let client: ReplayClient;
beforeEach(async () => {
  node = await startReplayNode({ recording });
  client = createReplayClient(node.url);
});
afterEach(() => node.close());

function recorded(path: string, method: string, params: unknown): string {
  return recording.answer(path, method, params)?.text ?? "nothing";
}

describe("unusual params", () => {
  const single = recorded(P, "platform.getBlockByHeight", { height: 25, encoding: "hex" });

  it.each<[unknown]>([
    [{ encoding: "hex", height: "25" }],
    [[{ height: 25, encoding: "hex" }]],
    [{ height: 25 }],
    [{ HEIGHT: 25, encoding: null }],
    [{ height: 25, encoding: "hexc" }],
  ])("of the node's own APIs are accepted: %j", async (params) => {
    expect(await client.call(P, "platform.getBlockByHeight", params)).toBe(single);
  });

  it("with an encoding that was not recorded are answered from the recorded one", async () => {
    const bare = recording.calls("/ext/bc/X", "avm.getBlockByHeight")[4];
    const checked = await client.call("/ext/bc/X", "avm.getBlockByHeight", { height: 2 });
    expect(checked).toMatch(/^\{"block":"0x[0-9a-f]+","encoding":"hex"\}$/);
    expect(checked.startsWith(bare?.text.slice(0, -22) ?? "?")).toBe(true);
    const container = await client.call(P_INDEX, "index.getContainerByIndex", { index: 3, encoding: "hexnc" });
    expect(container).toContain('"encoding":"hexnc"');
  });

  it("with a selection of validators that was not recorded are answered from all validators", async () => {
    const all = JSON.parse(recorded(P, "platform.getCurrentValidators", {})) as { validators: { nodeID: string }[] };
    const [first, ...others] = all.validators;
    const asked = { nodeIDs: ["NodeID-111111111111111111116DBWJs", first?.nodeID] };
    expect(JSON.parse(await client.call(P, "platform.getCurrentValidators", asked))).toEqual({ validators: [first] });
    expect(others.length).toBeGreaterThan(2);
  });

  it("of EVM chains are accepted: heights with leading zeros, and a block as an object", async () => {
    expect(await client.call(C, "eth_getBlockByNumber", ["0x000a", true])).toBe(
      recorded(C, "eth_getBlockByNumber", ["0xa", true]),
    );
    expect(await client.call(C, "eth_getBlockReceipts", [{ blockNumber: "0xa" }])).toBe(
      recorded(C, "eth_getBlockReceipts", ["0xa"]),
    );
  });

  it("with any alias of a chain are accepted", async () => {
    const { blockchainId } = recording.manifest.chains.find(({ alias }) => alias === "C") ?? { blockchainId: "" };
    for (const name of ["C", "evm", blockchainId])
      expect(await client.parsed(`/ext/bc/${name}/rpc`, "eth_chainId", [])).toBe("0xb98cb");
    expect(await client.parsed("/ext/bc/platform", "platform.getHeight", {})).toEqual({ height: "408" });
  });
});

describe("ranges of the index API", () => {
  it.each([0, 405])("are composed from single containers, and equal the node's from %d", async (startIndex) => {
    const params = { startIndex, numToFetch: 10, encoding: "hex" };
    expect(await client.call(P_INDEX, "index.getContainerRange", params)).toBe(
      recorded(P_INDEX, "index.getContainerRange", params),
    );
    const spelled = { numToFetch: "10", startIndex: String(startIndex) };
    expect(await client.call(P_INDEX, "index.getContainerRange", [spelled])).toBe(
      recorded(P_INDEX, "index.getContainerRange", params),
    );
  });

  it("cover the whole index, and are refused beyond it", async () => {
    const { containers } = (await client.parsed(P_INDEX, "index.getContainerRange", {
      startIndex: 100,
      numToFetch: 1024,
    })) as {
      containers: { index: string; id: string }[];
    };
    expect(containers.map(({ index }) => Number(index))).toEqual(Array.from({ length: 308 }, (_, at) => at + 100));
    expect(await client.parsed(P_INDEX, "index.getIndex", { id: containers[7]?.id })).toEqual({ index: "107" });
    expect(await client.parsed(P_INDEX, "index.getContainerRange", { startIndex: 500, numToFetch: 1 })).toEqual({
      code: -32000,
      message: "start index (500) > last accepted index (407)",
      data: null,
    });
    expect(await client.parsed(P_INDEX, "index.getContainerByIndex", { index: 999 })).toMatchObject({
      message: "no container at index 999",
    });
  });
});

it("the checksum that turns hexnc into hex equals the node's", () => {
  const pairs = recording.calls(P, "platform.getBlockByHeight").flatMap((checked) => {
    const { height, encoding } = checked.params as { height: number; encoding: string };
    const bare = recording.answer(P, "platform.getBlockByHeight", { height, encoding: "hexnc" });
    return encoding === "hex" && bare ? [[toChecked(bare).text, checked.text]] : [];
  });
  expect(pairs.length).toBeGreaterThan(10);
  for (const [computed, printed] of pairs) expect(computed).toBe(printed);
});
