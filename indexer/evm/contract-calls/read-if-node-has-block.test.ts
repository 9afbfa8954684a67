import { readIfNodeHasBlock } from "./read-if-node-has-block.ts";

const BLOCK = { firstBlockNumber: 5, firstBlockHash: "aa" };

/** Reads while the node's block 5 has these hashes, one before and one after the reading. */
async function readBetween(...hashes: readonly (string | null)[]) {
  const left = [...hashes];
  let reads = 0;
  const source = {
    blockRef: async (number: number) => {
      const hash = left.shift();
      return hash ? { number, hash, parentHash: "bb", settledHeight: null } : null;
    },
  };
  const result = await readIfNodeHasBlock(source, BLOCK, async () => {
    reads++;
    return "answer";
  });
  return { result, reads };
}

describe("what a contract answers", () => {
  it("counts if the node has the contract's first block before and after the answer", async () => {
    expect(await readBetween("aa", "aa")).toEqual({ result: "answer", reads: 1 });
  });

  it.each([null, "cc"])("is discarded if a reorganisation replaced the block in between (then: %s)", async (after) => {
    expect(await readBetween("aa", after)).toEqual({ result: null, reads: 1 });
  });

  it.each([null, "cc"])("is not requested from a node without the block (it has: %s)", async (before) => {
    expect(await readBetween(before)).toEqual({ result: null, reads: 0 });
  });
});
