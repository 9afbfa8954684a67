import type { Answer } from "../answers.ts";
import type { RecordedEvmChain } from "../manifest.ts";
import { copyOf, type Recording } from "../recording.ts";

/** A complete recorded EVM chain, regardless of the replay's current head. */
export interface EvmChain {
  readonly alias: string;
  /** Height of the last recorded block. */
  readonly height: number;
  knows(method: string): boolean;
  recorded(method: string, params?: unknown): Answer | undefined;
  /** Height of the block with that hash; undefined if it is not in the recording. */
  heightOfBlock(hash: string): number | undefined;
  /** Position of a transaction; undefined if it is not in the recording. */
  positionOfTransaction(hash: string): TransactionPosition | undefined;
  /** Time of every block by height, in milliseconds, with the precision that the block has. */
  timesMs(): number[];
}

/** Height of a transaction's block, and its index in the block. */
export interface TransactionPosition {
  readonly height: number;
  readonly index: number;
}

/** Hex quantity of a height, without leading zeros. */
export function hexOf(height: number): string {
  return `0x${height.toString(16)}`;
}

/** Reads one chain of a recording. Lookup tables are built on first use. */
export function createEvmChain(recording: Recording, { alias, height, rpcPath }: RecordedEvmChain): EvmChain {
  const heights = lazy(
    () =>
      new Map(texts("eth_getBlockByHash").map((text) => [copyOf(firstMember(text, "hash")), quantity(text, "number")])),
  );
  const positions = lazy(
    () =>
      new Map(
        texts("eth_getTransactionReceipt").map((text) => [
          copyOf(firstMember(text, "transactionHash")),
          positionIn(text),
        ]),
      ),
  );
  const texts = (method: string): string[] => recording.calls(rpcPath, method).map(({ text }) => text);
  const recorded = (method: string, params?: unknown) => recording.answer(rpcPath, method, params);
  return {
    alias,
    height,
    recorded,
    knows: (method) => recording.knows(rpcPath, method),
    heightOfBlock: (hash) => heights().get(hash.toLowerCase()),
    positionOfTransaction: (hash) => positions().get(hash.toLowerCase()),
    timesMs: () =>
      Array.from({ length: height + 1 }, (_, at) =>
        timeMs(recorded("eth_getBlockByNumber", [hexOf(at), true])?.text ?? ""),
      ),
  };
}

function lazy<Value>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= create();
    return value;
  };
}

function positionIn(receiptText: string): TransactionPosition {
  return { height: quantity(receiptText, "blockNumber"), index: quantity(receiptText, "transactionIndex") };
}

function timeMs(blockText: string): number {
  const ms = quantity(blockText, "timestampMilliseconds");
  return Number.isNaN(ms) ? quantity(blockText, "timestamp") * 1000 : ms;
}

/** Value of the first member of that name. In blocks and receipts it comes before members of nested objects. */
function firstMember(text: string, name: string): string {
  return new RegExp(`"${name}":"([^"]*)"`).exec(text)?.[1] ?? "";
}

function quantity(text: string, name: string): number {
  return Number.parseInt(firstMember(text, name), 16);
}
