import type { NodeUnavailable } from "../../shared/node/errors.ts";
import type { Answer, RpcCall } from "../../shared/node/rpc-answers.ts";

/** Data to request from the node for some blocks. */
export interface BlocksRequest {
  readonly numbers: readonly number[];
  /** Whether to request all receipts of a block in one call. */
  readonly hasReceipts: boolean;
  /** What is sent to the tracer; null to request no call trees. */
  readonly tracer: object | null;
}

/** The node's answers for one block; undefined if not requested. If a single call got no answer, why. */
export interface BlockAnswers {
  readonly number: number;
  readonly block: Answer;
  readonly receipts: Answer | NodeUnavailable | undefined;
  readonly traces: Answer | NodeUnavailable | undefined;
}

/** Part of the time limit of a request that the tracer may take for one transaction. */
const TRACER_SHARE = 0.8;

/**
 * The parameter of `debug_traceBlockByNumber`. Without a `timeout` of its own, a node's tracer gives up after five seconds. It must give up
 * before the request does, so that the node answers.
 */
export function callTracer(requestTimeoutMs: number): { readonly tracer: string; readonly timeout: string } {
  return { tracer: "callTracer", timeout: `${Math.max(1, Math.floor(requestTimeoutMs * TRACER_SHARE))}ms` };
}

export const hexNumber = (number: number): string => `0x${number.toString(16)}`;

export function blockCalls({ numbers, hasReceipts, tracer }: BlocksRequest): RpcCall[] {
  return numbers
    .map(hexNumber)
    .flatMap((hex) => [
      { method: "eth_getBlockByNumber", params: [hex, true] },
      ...(hasReceipts ? [{ method: "eth_getBlockReceipts", params: [hex] }] : []),
      ...(tracer ? [{ method: "debug_traceBlockByNumber", params: [hex, tracer] }] : []),
    ]);
}

/** Assigns the answers to the calls of `blockCalls` to their blocks. */
export function answersByBlock(
  { numbers, hasReceipts, tracer }: BlocksRequest,
  answers: readonly Answer[],
): BlockAnswers[] {
  const stride = 1 + Number(hasReceipts) + Number(tracer !== null);
  return numbers.map((number, i) => ({
    number,
    block: answers[i * stride] as Answer,
    receipts: hasReceipts ? answers[i * stride + 1] : undefined,
    traces: tracer ? answers[(i + 1) * stride - 1] : undefined,
  }));
}
