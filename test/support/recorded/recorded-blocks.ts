import { type WireBlock, type WireReceipt } from "../../../indexer/evm/wire/blocks.ts";
import { openRecording, type Recording } from "../../../recordings/recording.ts";
import { ALPHA } from "../../../recordings/replay-node.ts";

const PATH = "/ext/bc/C/rpc";

export interface RecordedBlock {
  readonly number: number;
  readonly block: WireBlock;
  readonly receipts: readonly WireReceipt[];
}

/** Every block of the recorded C-Chain with its receipts, as the node answered. */
export function recordedBlocks(recording: Recording = openRecording(ALPHA)): RecordedBlock[] {
  return recording.calls(PATH, "eth_getBlockReceipts").map(({ params, text }) => {
    const [hex] = params as [string];
    const block = recording.answer(PATH, "eth_getBlockByNumber", [hex, true]);
    return { number: Number(hex), block: JSON.parse(block?.text ?? "null"), receipts: JSON.parse(text) };
  });
}
