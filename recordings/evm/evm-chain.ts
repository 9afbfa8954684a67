import type { Answer } from "../answers.ts";
import type { RecordedEvmChain } from "../manifest.ts";
import type { Recording } from "../recording.ts";

/** One recorded EVM chain, whole: nothing here knows of a head that hides blocks. */
export interface EvmChain {
  readonly alias: string;
  /** Height of the last recorded block. */
  readonly height: number;
  knows(method: string): boolean;
  recorded(method: string, params?: unknown): Answer | undefined;
  /** Height of the block with that hash; undefined when it is not in the recording. */
  heightOfBlock(hash: string): number | undefined;
  /** Where the transaction stands; undefined when it is not in the recording. */
  placeOfTransaction(hash: string): TransactionPlace | undefined;
  /** Time of every block by height, in milliseconds; of whole seconds where the block has no finer time. */
  timesMs(): number[];
}

/** Height of a transaction's block and index in it. */
export interface TransactionPlace {
  readonly height: number;
  readonly index: number;
}

/** The quantity of a height as nodes write it: hex without leading zeros. */
export function hexOf(height: number): string {
  return `0x${height.toString(16)}`;
}

/** Reads one chain out of a recording; its maps are built when first asked for. */
export function createEvmChain(recording: Recording, { alias, height, rpcPath }: RecordedEvmChain): EvmChain {
  const heights = once(
    () => new Map(texts("eth_getBlockByHash").map((text) => [cut(text, "hash"), quantity(text, "number")])),
  );
  const places = once(
    () => new Map(texts("eth_getTransactionReceipt").map((text) => [cut(text, "transactionHash"), placeIn(text)])),
  );
  const texts = (method: string): string[] => recording.calls(rpcPath, method).map(({ text }) => text);
  const recorded = (method: string, params?: unknown) => recording.answer(rpcPath, method, params);
  return {
    alias,
    height,
    recorded,
    knows: (method) => recording.knows(rpcPath, method),
    heightOfBlock: (hash) => heights().get(hash.toLowerCase()),
    placeOfTransaction: (hash) => places().get(hash.toLowerCase()),
    timesMs: () =>
      Array.from({ length: height + 1 }, (_, at) =>
        timeMs(recorded("eth_getBlockByNumber", [hexOf(at), true])?.text ?? ""),
      ),
  };
}

function once<Value>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= create();
    return value;
  };
}

function placeIn(receiptText: string): TransactionPlace {
  return { height: quantity(receiptText, "blockNumber"), index: quantity(receiptText, "transactionIndex") };
}

function timeMs(blockText: string): number {
  const ms = quantity(blockText, "timestampMilliseconds");
  return Number.isNaN(ms) ? quantity(blockText, "timestamp") * 1000 : ms;
}

/** Takes the first member of that name: in blocks and receipts the own one stands before those of nested objects. */
function cut(text: string, name: string): string {
  return new RegExp(`"${name}":"([^"]*)"`).exec(text)?.[1] ?? "";
}

function quantity(text: string, name: string): number {
  return Number.parseInt(cut(text, name), 16);
}
