import { setTimeout as sleep } from "node:timers/promises";
import { askAll, type ChainNode, createChainNode } from "./chain-node.ts";

const clock = { nowMs: () => 0, sleep: async () => {} };
const wait = { clock, signal: new AbortController().signal };

function usableNode(name: string): ChainNode {
  const node = createChainNode({ name }, { clock, onChange: () => {} });
  node.admitted();
  return node;
}

describe("nodes that are asked at the same time", () => {
  it("do not wait for one that hangs, which is not used until it answers again", async () => {
    const [quick, hung] = [usableNode("quick"), usableNode("hung")];
    const answers = await askAll([hung, quick], (node) => (node === hung ? new Promise(() => {}) : sleep(1, 7)), wait);
    expect(answers).toEqual([{ node: quick, answer: 7 }]);
    expect([quick, hung].map(({ status }) => [status.state, status.reason])).toEqual([
      ["USABLE", null],
      ["UNAVAILABLE", "the node gave no answer within 3000 ms of another node"],
    ]);
  });

  it("are all waited for as long as none has answered", async () => {
    const [one, other] = [usableNode("one"), usableNode("other")];
    const read = async (node: ChainNode) => (node === one ? null : await sleep(20, 7));
    expect(await askAll([one, other], read, wait)).toEqual([{ node: other, answer: 7 }]);
    expect([one, other].map(({ isUsable }) => isUsable)).toEqual([true, true]);
  });
});
