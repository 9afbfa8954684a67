import { messageOf } from "../../core/errors/errors.ts";
import type { Clock } from "../clock.ts";
import type { Reply } from "./connection/pending-requests.ts";
import type { Counts } from "./counts.ts";
import type { Peers } from "./peers/peers.ts";
import { decodeSignatureResponse, encodeSignatureRequest } from "./wire/app-messages.ts";

/** What one node said. `nodeId` is `NodeID-…`. */
export type SignatureAnswer = { readonly nodeId: string } & (
  | {
      readonly kind: "signature";
      /** As the node sent it: neither length nor content is checked. */
      readonly signature: Uint8Array;
    }
  /** The node has not seen the message yet. Nodes before 1.14 say so by an empty answer. */
  | { readonly kind: "notSeen" }
  /** The node refuses. What the code means depends on the chain; the text may change with the node's version. */
  | { readonly kind: "refused"; readonly errorCode: number; readonly errorMessage: string }
  | { readonly kind: "malformed"; readonly reason: string }
  /** No answer came until the deadline. */
  | { readonly kind: "timeout" }
  /** The node was not connected, or the connection ended before the answer came. */
  | { readonly kind: "disconnected"; readonly reason: string }
);

export interface SignatureRequest {
  readonly chainId: Uint8Array;
  readonly nodeIds: readonly string[];
  readonly message: Uint8Array;
  readonly justification: Uint8Array;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface RequestContext {
  readonly peers: Peers;
  readonly clock: Clock;
  readonly counts: Counts;
}

/** Longer error texts of nodes are cut. */
const MAX_ERROR_LENGTH = 1_000;

/** See `SignatureTransport.request`. */
export async function* requestSignatures(
  { peers, clock, counts }: RequestContext,
  { chainId, nodeIds, message, justification, deadlineMs, signal }: SignatureRequest,
): AsyncGenerator<SignatureAnswer, void, void> {
  const answers: SignatureAnswer[] = [];
  const open = new Map<string, () => void>();
  let wake = () => {};
  const answer = (given: SignatureAnswer) => {
    if (open.delete(given.nodeId)) counts.pendingRequests--;
    answers.push(given);
    wake();
  };
  const send = (nodeId: string, bytes: Uint8Array) => {
    const connection = peers.connectionTo(nodeId);
    if (!connection) return answer({ nodeId, kind: "disconnected", reason: peers.reasonOf(nodeId) ?? "not connected" });
    counts.requests++;
    counts.pendingRequests++;
    open.set(nodeId, () => {});
    const forget = connection.request({ chainId, deadlineMs, bytes }, (reply) =>
      answer(answerOf(nodeId, reply, counts)),
    );
    if (open.has(nodeId)) open.set(nodeId, forget);
  };
  const onDeadline = () => {
    for (const [nodeId, forget] of [...open]) {
      forget();
      counts.timeouts++;
      answer({ nodeId, kind: "timeout" });
    }
  };
  const cancelDeadline = clock.after(deadlineMs, onDeadline);
  const onAbort = () => wake();
  signal?.addEventListener("abort", onAbort);
  try {
    const bytes = encodeSignatureRequest(message, justification);
    for (const nodeId of new Set(nodeIds)) send(nodeId, bytes);
    while (!signal?.aborted && (open.size > 0 || answers.length > 0)) {
      const next = answers.shift();
      if (next) yield next;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    cancelDeadline();
    signal?.removeEventListener("abort", onAbort);
    for (const forget of open.values()) forget();
    counts.pendingRequests -= open.size;
  }
}

function answerOf(nodeId: string, reply: Reply, counts: Counts): SignatureAnswer {
  if (reply.kind === "closed") return { nodeId, kind: "disconnected", reason: reply.reason };
  if (reply.kind === "error") {
    counts.refusals++;
    return { nodeId, kind: "refused", errorCode: reply.code, errorMessage: reply.message.slice(0, MAX_ERROR_LENGTH) };
  }
  if (reply.bytes.length === 0) return { nodeId, kind: "notSeen" };
  try {
    const signature = decodeSignatureResponse(reply.bytes);
    counts.signatures++;
    return { nodeId, kind: "signature", signature };
  } catch (error) {
    counts.malformedMessages++;
    return { nodeId, kind: "malformed", reason: messageOf(error) };
  }
}
