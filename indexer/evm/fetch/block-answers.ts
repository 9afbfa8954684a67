import { type Clock } from "../../shared/clock.ts";
import { NodeUnavailable, RpcError } from "../../shared/node/errors.ts";
import { BlockUnavailable } from "../../shared/node/lagging-node.ts";
import type { NodeClient } from "../../shared/node/node-client.ts";
import type { Answer, RpcCall } from "../../shared/node/rpc-answers.ts";
import type { WireBlock, WireReceipt } from "../wire/blocks.ts";
import { answersByBlock, type BlockAnswers, type BlocksRequest, blockCalls } from "./block-requests.ts";

/** After this many failures of the same request, its calls are sent apart from one another. */
const FAILURES_BEFORE_SPLIT = 2;
/** More requests do not fail at the same time. */
const MAX_FAILING_REQUESTS = 256;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 300_000;

/** Requests blocks with their receipts and call trees. */
export interface BlockReader {
  /**
   * Returns the node's answers. If the request for several blocks keeps failing although the node returns the blocks themselves, receipts
   * and call trees are requested block by block, and the answers for some of them are the failures.
   */
  answers(numbers: readonly number[], tracer: object | null): Promise<BlockAnswers[]>;
  /** Reads the receipts of the transactions of a block one by one, where `receiptList` does not help. Null if the node lacks some. */
  singleReceipts(number: number, block: WireBlock | null): Promise<readonly WireReceipt[] | null>;
}

export function createBlockReader(node: NodeClient, clock: Pick<Clock, "nowMs">): BlockReader {
  const blockReceipts = createMethodPause(clock);
  /** Number of failures by the first block of the request. Requests of a batch that is divided may fail at the same time. */
  const failures = new Map<number, number>();

  async function together(request: BlocksRequest): Promise<BlockAnswers[]> {
    const [from = 0] = request.numbers;
    try {
      const answers = answersByBlock(request, await node.callAll(blockCalls(request)));
      failures.delete(from);
      return answers;
    } catch (error) {
      if (failures.size >= MAX_FAILING_REQUESTS) failures.clear();
      const count = (failures.get(from) ?? 0) + 1;
      failures.set(from, count);
      if (!(error instanceof NodeUnavailable) || count <= FAILURES_BEFORE_SPLIT) throw error;
      return apart(node, request);
    }
  }

  return {
    async answers(numbers, tracer) {
      const hasReceipts = blockReceipts.isOver();
      const answers = await together({ numbers, hasReceipts, tracer });
      if (hasReceipts) blockReceipts.record(answers.some((one) => receiptList(one) !== null));
      return answers;
    },
    singleReceipts: (number, block) => singleReceipts(node, number, block),
  };
}

/** Requests the blocks together, and then everything else call by call. Rejects if the node does not return the blocks. */
async function apart(node: NodeClient, { numbers, hasReceipts, tracer }: BlocksRequest): Promise<BlockAnswers[]> {
  const blocks = await node.callAll(blockCalls({ numbers, hasReceipts: false, tracer: null }));
  return Promise.all(
    numbers.map(async (number, i) => {
      const [, ...others] = blockCalls({ numbers: [number], hasReceipts, tracer });
      const answers = await Promise.all(others.map((call) => answerOf(node, call)));
      return {
        number,
        block: blocks[i] as Answer,
        receipts: hasReceipts ? answers[0] : undefined,
        traces: tracer ? answers.at(-1) : undefined,
      };
    }),
  );
}

async function answerOf(node: NodeClient, call: RpcCall): Promise<Answer | NodeUnavailable> {
  try {
    return (await node.callAll([call]))[0] as Answer;
  } catch (error) {
    if (error instanceof NodeUnavailable) return error;
    throw error;
  }
}

/** The receipts of `eth_getBlockReceipts`, which may not fit the block. Null if the method failed or was not called. */
export function receiptList({ receipts }: BlockAnswers): readonly WireReceipt[] | null {
  return receipts && "result" in receipts && Array.isArray(receipts.result) ? receipts.result : null;
}

async function singleReceipts(
  node: NodeClient,
  number: number,
  block: WireBlock | null,
): Promise<readonly WireReceipt[] | null> {
  const hashes = Array.isArray(block?.transactions) ? block.transactions.map((transaction) => transaction?.hash) : [];
  const answers = await node.callAll(hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })));
  const refusal = answers.find((answer) => answer instanceof RpcError);
  if (refusal)
    throw new BlockUnavailable(
      `the node refuses the receipts of block ${number}`,
      `${refusal.message} (${refusal.code})`,
    );
  const receipts = answers.map((answer) => ("result" in answer ? answer.result : null));
  return receipts.includes(null) ? null : (receipts as WireReceipt[]);
}

/** The time during which a method is not called because it failed. */
interface MethodPause {
  isOver(): boolean;
  /** The method was called. A failure begins a pause: one second at first, then twice the last one, up to five minutes. */
  record(hasSucceeded: boolean): void;
}

function createMethodPause(clock: Pick<Clock, "nowMs">): MethodPause {
  let untilMs = 0;
  let nextPauseMs = FIRST_PAUSE_MS;
  return {
    isOver: () => clock.nowMs() >= untilMs,
    record(hasSucceeded) {
      if (hasSucceeded) nextPauseMs = FIRST_PAUSE_MS;
      else {
        untilMs = clock.nowMs() + nextPauseMs;
        nextPauseMs = Math.min(MAX_PAUSE_MS, 2 * nextPauseMs);
      }
    },
  };
}
