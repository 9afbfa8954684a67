import { verifyBlock } from "../../../indexer/evm/fetch/verify-block.ts";
import { verifyTraces } from "../../../indexer/evm/fetch/verify-traces.ts";
import type { RawBlock, WireBlock, WireReceipt } from "../../../indexer/evm/wire/blocks.ts";
import type { NodeBlock, RecordedChain } from "./node-chain.ts";

const START = Date.parse("2027-02-25T00:00:00Z") / 1_000;

/** The blocks of a chain at other times: `step` seconds apart. The recorded times are within one hour. */
export function retimed({ blocks }: Pick<RecordedChain, "blocks">, step: number): NodeBlock[] {
  return blocks.map((one) => {
    const timestamp = START + step * Number(one.block.number);
    return { ...one, block: { ...one.block, timestamp: `0x${timestamp.toString(16)}` } };
  });
}

/** A node's answers as the indexer decodes them. */
export function rawOf(node: NodeBlock): RawBlock {
  const block = node.block as unknown as WireBlock;
  const receipts = node.receipts as unknown as WireReceipt[];
  return { ...verifyBlock(Number(block.number), block, receipts), traces: verifyTraces(block, receipts, node.traces) };
}
