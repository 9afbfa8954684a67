import type { AggregationProgress, AggregationResult, OtherValidator, SigningValidator } from "../protocol/protocol.ts";
import type { SigningTask } from "../signing-task.ts";
import type { CanonicalValidator } from "../validator-sets/canonical-set.ts";
import type { VerifiedMessage } from "../verify/verify-signed-message.ts";

export interface ResultParts {
  readonly task: SigningTask;
  readonly progress: AggregationProgress;
  readonly signedMessage: Uint8Array;
  readonly verified: VerifiedMessage;
  /** Why a validator that can sign is not among the signers. */
  readonly reasonOf: (validator: CanonicalValidator) => Pick<OtherValidator, "reason" | "detail" | "errorCode">;
  readonly collectedFrom: AggregationResult["collectedFrom"];
  readonly connectMs: number;
  readonly collectMs: number;
}

/** What callers get of a verified aggregate. */
export function createResult(parts: ResultParts): AggregationResult {
  const { task, progress, signedMessage, verified, reasonOf, collectedFrom, connectMs, collectMs } = parts;
  const signers = new Set(verified.signers);
  const missing = task.set.validators.filter((validator) => !signers.has(validator));
  return {
    ...progress,
    state: "DONE",
    signedMessage: Buffer.from(signedMessage).toString("hex"),
    aggregateWeight: String(verified.signedWeight),
    signers: verified.signers.map(signingValidator),
    others: [
      ...missing.map((validator) => ({ ...signingValidator(validator), ...reasonOf(validator) })),
      ...unableValidators(task),
    ],
    collectedFrom,
    connectMs: Math.round(connectMs),
    collectMs: Math.round(collectMs),
  };
}

function signingValidator({ publicKey, weight, nodeIds }: CanonicalValidator): SigningValidator {
  return { publicKey: Buffer.from(publicKey.compressed).toString("hex"), weight: String(weight), nodeIds };
}

function unableValidators({ unable }: SigningTask): OtherValidator[] {
  return unable.map(({ nodeId, weight }) => {
    const isInactive = nodeId === "";
    return {
      publicKey: null,
      weight: String(weight),
      nodeIds: isInactive ? [] : [nodeId],
      reason: isInactive ? "INACTIVE" : "NO_KEY",
      detail: null,
      errorCode: null,
    };
  });
}
