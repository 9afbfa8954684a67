import { createReplayClient, type ReplayClient } from "../../test/support/node/replay-client.ts";
import { openRecording } from "../recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../replay-node.ts";

const recording = openRecording(ALPHA);
const P = "/ext/bc/P";
const HEAD = 100;

let node: ReplayNode;
let client: ReplayClient;
beforeEach(async () => {
  node = await startReplayNode({ recording });
  client = createReplayClient(node.url);
});
afterEach(() => node.close());

const blockIds = recording
  .calls(P, "platform.getBlock")
  .map(({ params, text }) => ({ id: (params as { blockID: string }).blockID, text }));

function byHeight(height: number): string {
  return recording.answer(P, "platform.getBlockByHeight", { height, encoding: "hexnc" })?.text ?? "";
}

describe("while the head of P is below the last block", () => {
  beforeEach(() => node.setHead("P", HEAD));

  it("the head is the height, and higher blocks are unknown", async () => {
    expect(node.head("P")).toBe(HEAD);
    expect(await client.parsed(P, "platform.getHeight", {})).toEqual({ height: String(HEAD) });
    const asked = (height: number) =>
      client.call("/ext/bc/platform", "platform.getBlockByHeight", { height, encoding: "hexnc" });
    expect(await asked(HEAD)).toBe(byHeight(HEAD));
    const unknown = `couldn't get block at height ${HEAD + 1}: not found`;
    expect(JSON.parse(await asked(HEAD + 1))).toEqual({ code: -32000, message: unknown, data: null });
  });

  it("blocks are found by id up to the head", async () => {
    const idAt = (height: number) => blockIds.find(({ text }) => text === byHeight(height))?.id;
    const last = idAt(HEAD);
    const next = idAt(HEAD + 1);
    const asked = (blockID: unknown) => client.call(P, "platform.getBlock", { blockID, encoding: "hexnc" });
    expect(await asked(last)).toBe(byHeight(HEAD));
    expect(JSON.parse(await asked(next))).toMatchObject({ message: `couldn't get block with id ${next}: not found` });
  });

  it("the index of P ends at the head, and those of X and C do not", async () => {
    const index = "/ext/index/P/block";
    expect(await client.parsed(index, "index.getLastAccepted", { encoding: "hexnc" })).toMatchObject({
      index: String(HEAD - 1),
      encoding: "hexnc",
    });
    const range = { startIndex: HEAD - 2, numToFetch: 10, encoding: "hex" };
    const { containers } = (await client.parsed(index, "index.getContainerRange", range)) as { containers: unknown[] };
    expect(containers).toHaveLength(2);
    expect(await client.parsed(index, "index.getContainerByIndex", { index: HEAD, encoding: "hex" })).toMatchObject({
      message: `no container at index ${HEAD}`,
    });
    expect(await client.parsed("/ext/bc/X", "avm.getHeight", {})).toEqual({ height: "143" });
    for (const [chain, last] of [
      ["X", 142],
      ["C", 233],
    ] as const)
      expect(await client.parsed(`/ext/index/${chain}/block`, "index.getLastAccepted", {})).toMatchObject({
        index: String(last),
      });
  });

  it("an index without blocks answers as a node does", async () => {
    node.setHead("C", 0);
    expect(await client.parsed("/ext/index/C/block", "index.getLastAccepted", {})).toEqual({
      code: -32000,
      message: "no containers have been accepted",
      data: null,
    });
  });

  it("a height that is not recorded is refused as head", () => {
    expect(() => node.setHead("P", 409)).toThrow("head of P must be a height from 0 to 408, got 409");
  });
});

it("the heads of P and X advance like those of EVM chains", async () => {
  let now = 0;
  await using living = await startReplayNode({ recording, heads: { startedAtMs: 0, now: () => now } });
  expect([living.head("P"), living.head("X")]).toEqual([306, 107]);
  now = 20_000;
  const later = [living.head("P"), living.head("X")];
  expect(Math.min(...later.map((head, i) => head - [306, 107][i]!))).toBeGreaterThan(4);
  now = 1e9;
  expect([living.head("P"), living.head("X")]).toEqual([408, 143]);
});

it("the state at the end of the recording is the last snapshot", async () => {
  expect(await client.parsed(P, "platform.getValidatorFeeConfig", {})).toEqual({
    capacity: 20_000,
    target: 10_000,
    minPrice: 512,
    excessConversionConstant: 1_246_488_515,
  });
  expect(await client.parsed(P, "platform.getTimestamp", {})).toEqual({ timestamp: expect.stringMatching(/^2026-/) });
});
