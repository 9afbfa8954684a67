import type { Answer, RpcCall } from "../../shared/node/rpc-answers.ts";

/** Data to request from the node for some blocks. */
export interface BlocksRequest {
  readonly numbers: readonly number[];
  /** Whether to request all receipts of a block in one call. */
  readonly hasReceipts: boolean;
  readonly hasTraces: boolean;
}

/** The node's answers for one block; undefined if not requested. */
export interface BlockAnswers {
  readonly number: number;
  readonly block: Answer;
  readonly receipts: Answer | undefined;
  readonly traces: Answer | undefined;
}

export const CALL_TRACER = { tracer: "callTracer" };

export const hexNumber = (number: number): string => `0x${number.toString(16)}`;

export function blockCalls({ numbers, hasReceipts, hasTraces }: BlocksRequest): RpcCall[] {
  return numbers
    .map(hexNumber)
    .flatMap((hex) => [
      { method: "eth_getBlockByNumber", params: [hex, true] },
      ...(hasReceipts ? [{ method: "eth_getBlockReceipts", params: [hex] }] : []),
      ...(hasTraces ? [{ method: "debug_traceBlockByNumber", params: [hex, CALL_TRACER] }] : []),
    ]);
}

/** Assigns the answers to the calls of `blockCalls` to their blocks. */
export function answersByBlock(
  { numbers, hasReceipts, hasTraces }: BlocksRequest,
  answers: readonly Answer[],
): BlockAnswers[] {
  const stride = 1 + Number(hasReceipts) + Number(hasTraces);
  return numbers.map((number, i) => ({
    number,
    block: answers[i * stride] as Answer,
    receipts: hasReceipts ? answers[i * stride + 1] : undefined,
    traces: hasTraces ? answers[(i + 1) * stride - 1] : undefined,
  }));
}
