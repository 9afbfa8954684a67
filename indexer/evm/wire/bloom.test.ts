import { type Hex, keccak256 } from "viem";
import { recordedBlocks } from "../../../test/support/recorded/recorded-blocks.ts";
import { bloomOf, bloomsOf } from "./bloom.ts";

const EMPTY_LOG = {
  blockHash: "0x",
  transactionHash: "0x",
  transactionIndex: "0x0",
  logIndex: "0x0",
  topics: [],
  data: "0x",
};
const ZEROS = `0x${"0".repeat(512)}`;

describe("the bloom of logs", () => {
  it("equals the node's for every recorded block and receipt", () => {
    const blocks = recordedBlocks();
    expect(blocks.filter(({ block }) => block.logsBloom !== ZEROS).length).toBeGreaterThan(20);
    for (const { block, receipts } of blocks) {
      expect(bloomOf(receipts.flatMap(({ logs }) => logs))).toBe(block.logsBloom);
      for (const receipt of receipts)
        expect(bloomOf(receipt.logs)).toBe((receipt as unknown as { logsBloom: string }).logsBloom);
    }
  });

  it("is zero without logs", () => {
    expect(bloomOf([])).toBe(ZEROS);
    expect(bloomsOf([{ logs: [] }])).toEqual({ receipts: [ZEROS], block: ZEROS });
  });

  it("of all receipts and of their block, computed in one pass, equals the node's", () => {
    for (const { block, receipts } of recordedBlocks())
      expect(bloomsOf(receipts)).toEqual({
        receipts: receipts.map(({ logsBloom }) => logsBloom),
        block: block.logsBloom,
      });
  });

  it("equals the result of the yellow paper's formula", () => {
    const addresses = Array.from({ length: 50 }, (_, i) =>
      keccak256(`0x${i.toString(16).padStart(2, "0")}`).slice(0, 42),
    );
    const bloom = addresses.reduce((bits, address) => {
      const hash = keccak256(address as Hex);
      return [2, 6, 10].reduce((now, at) => now | (1n << (BigInt(`0x${hash.slice(at, at + 4)}`) & 2047n)), bits);
    }, 0n);
    const logs = addresses.map((address) => ({ ...EMPTY_LOG, address }));
    expect(bloomOf(logs)).toBe(`0x${bloom.toString(16).padStart(512, "0")}`);
  });
});
