import type { Readable } from "node:stream";
import { request } from "undici";
import { z } from "zod";
import { errorCode, Failure } from "../../core/errors/errors.ts";
import { createRedaction, type Redact } from "../../core/errors/redaction.ts";
import { formatId } from "../../core/formats/id-text.ts";
import { parseJson } from "../../core/formats/json.ts";
import type { Clock } from "../clock.ts";
import { checkKeyedWeight, subnetText } from "../collection/keyed-weight.ts";
import { createResult } from "../collection/result.ts";
import type { AggregationProgress, AggregationResult } from "../protocol/protocol.ts";
import type { CollectionCaller, Quorum, SignatureSource } from "../signature-source.ts";
import type { SigningTask } from "../signing-task.ts";
import { requiredWeight } from "../validator-sets/quorum.ts";
import { RejectedMessage } from "../verify/rejected-message.ts";
import { verifyAnswer } from "../verify/verify-signed-message.ts";

export interface UpstreamOptions {
  readonly clock: Clock;
  readonly timeoutMs?: number;
}

/** The same as the `totalMs` of a collection from the validators. */
const TIMEOUT_MS = 55_000;
/** A signed message has at most some 100 KiB, twice that in hex. */
const MAX_ANSWER_BYTES = 1_048_576;

const answerBody = z.object({ "signed-message": z.string() });
const errorBody = z.object({ error: z.string() });

/**
 * Requests aggregates from a signature-aggregator of icm-services at a base URL. What it answers is verified with the validators
 * of the task; an answer that does not pass is `UPSTREAM_FAILED`. Source: icm-services, signature-aggregator/api/api.go.
 */
export function createUpstream({
  clock,
  timeoutMs = TIMEOUT_MS,
}: UpstreamOptions): (aggregatorUrl: string) => SignatureSource {
  return (aggregatorUrl) => {
    const redact = createRedaction({ url: aggregatorUrl });
    return {
      async collect(task, quorum, { signal, onProgress }: CollectionCaller): Promise<AggregationResult> {
        checkKeyedWeight(task, quorum);
        const startedAtMs = clock.nowMs();
        const progress = progressOf(task, quorum);
        onProgress(progress);
        const deadline = new AbortController();
        const cancel = clock.after(timeoutMs, () => deadline.abort());
        try {
          const answer = await post(aggregatorUrl, task, quorum, AbortSignal.any([signal, deadline.signal]));
          const signedMessage = signedMessageIn(answer, redact);
          const verified = verify(signedMessage, task, quorum);
          return createResult({
            task,
            progress: { ...progress, signedWeight: String(verified.signedWeight) },
            signedMessage,
            verified,
            reasonOf: () => ({
              reason: "NOT_NEEDED",
              detail: "the signature-aggregator did not use the validator's signature and does not say why",
              errorCode: null,
            }),
            collectedFrom: "aggregator",
            connectMs: 0,
            collectMs: clock.nowMs() - startedAtMs,
          });
        } catch (error) {
          signal.throwIfAborted();
          if (error instanceof Failure) throw error;
          if (deadline.signal.aborted)
            throw new Failure("UNAVAILABLE", `the signature-aggregator did not answer within ${timeoutMs / 1_000} s`);
          throw new Failure("UPSTREAM_FAILED", `the signature-aggregator could not be used${kindOf(error)}`, error);
        } finally {
          cancel();
        }
      },
    };
  };
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function post(
  aggregatorUrl: string,
  { message, justification, signingSubnetId, pChainHeight }: SigningTask,
  { quorumPercentage, quorumPercentageBuffer }: Quorum,
  signal: AbortSignal,
): Promise<Answer> {
  const response = await request(`${aggregatorUrl.replace(/\/+$/, "")}/aggregate-signatures`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      message: message.unsignedMessage,
      justification: Buffer.from(justification).toString("hex"),
      "signing-subnet-id": formatId(signingSubnetId),
      "quorum-percentage": quorumPercentage,
      "quorum-percentage-buffer": quorumPercentageBuffer,
      // Its README writes `p-chain-height`, which it ignores. Heights are far below 2^53.
      "pchain-height": Number(pChainHeight),
    }),
    signal,
  });
  return { status: response.statusCode, body: parseJson(await boundedText(response.body)) };
}

async function boundedText(body: Readable): Promise<string> {
  const pieces: Buffer[] = [];
  let total = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    total += piece.length;
    if (total > MAX_ANSWER_BYTES)
      throw new Failure(
        "UPSTREAM_FAILED",
        `the signature-aggregator could not be used: its answer has more than ${MAX_ANSWER_BYTES} bytes`,
      );
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** Throws what callers get for an error of the aggregator. */
function signedMessageIn({ status, body }: Answer, redact: Redact): Uint8Array {
  const refusal = errorBody.safeParse(body);
  if (status !== 200 || refusal.success)
    throw failureOf(status, refusal.success ? redact(refusal.data.error).slice(0, 500) : null);
  const answer = answerBody.safeParse(body);
  const hex = answer.success ? answer.data["signed-message"].replace(/^0x/, "") : "";
  if (!/^([0-9a-f]{2})+$/i.test(hex)) throw rejected("it has no signed message in hex");
  return Buffer.from(hex, "hex");
}

/** The code of a failed connection in brackets: its message contains the address. Empty if there is none. */
function kindOf(error: unknown): string {
  const code = errorCode(error);
  return typeof code === "string" ? ` (${code})` : "";
}

function failureOf(status: number, error: string | null): Failure {
  const text = `the signature-aggregator answered HTTP ${status}${error === null ? "" : `: ${error}`}`;
  if (error === null) return new Failure("UPSTREAM_FAILED", text);
  if (status === 400) return new Failure("INVALID_PARAMETER", text);
  const isTemporary = /threshold of (stake|signatures)|deadline exceeded|insufficient/i.test(error);
  return new Failure(isTemporary ? "UNAVAILABLE" : "UPSTREAM_FAILED", text);
}

function verify(signedMessage: Uint8Array, task: SigningTask, { quorumPercentage }: Quorum) {
  try {
    return verifyAnswer(signedMessage, task.unsignedBytes, task.set, quorumPercentage);
  } catch (error) {
    if (error instanceof RejectedMessage)
      throw rejected(`it is not valid for the validators of ${subnetText(task)}: ${error.message}`);
    throw error;
  }
}

function rejected(reason: string): Failure {
  return new Failure("UPSTREAM_FAILED", `the answer of the signature-aggregator is refused: ${reason}`);
}

function progressOf(
  { message, signingSubnetId, pChainHeight, set: { totalWeight } }: SigningTask,
  { quorumPercentage }: Quorum,
): AggregationProgress {
  return {
    state: "COLLECTING",
    message,
    signingSubnetId,
    pChainHeight: String(pChainHeight),
    totalWeight: String(totalWeight),
    requiredWeight: String(requiredWeight(totalWeight, quorumPercentage)),
    connectedWeight: "0",
    signedWeight: "0",
    refusedWeight: "0",
  };
}
