import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { syntheticChain } from "../../../test/support/indexed/synthetic-chain.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { decodeBlock } from "./block.ts";
import { chainRules } from "./chain-rules.ts";

const RULES = chainRules({ chainId: 7 });

/** A block with a transaction and a transfer, and another number. */
function blockWith(number: number): RawBlock {
  const [raw] = syntheticChain("numbers", 1, () => ({ token: "c".repeat(40) })) as [RawBlock];
  return { ...raw, block: { ...raw.block, number: `0x${number.toString(16)}` } };
}

describe("the rows of a block", () => {
  it("are refused, with the reason, if its number does not fit into the columns", () => {
    const highest = 2 ** 31 - 1;
    const [stored] = decodeBlock(RULES, blockWith(highest), 0).rows.erc20_transfers;
    expect(stored?.block_number).toBe(highest);
    const decode = () => decodeBlock(RULES, blockWith(highest + 1), 0);
    expect(decode).toThrow(BadUpstreamData);
    expect(decode).toThrow("block 2147483648: Moraine can store blocks up to 2147483647");
  });
});
