import { Failure } from "../../core/errors/errors.ts";
import { subnetText } from "../collection/keyed-weight.ts";
import type { Quorum } from "../signature-source.ts";
import type { SigningTask } from "../signing-task.ts";
import { insufficientWeight } from "../verify/verify-signed-message.ts";
import { type Ballot, causeOf, hasFailed, hasSigned, isUnderWay, type Voter } from "./ballot.ts";
import { describeMissing, type Missing, type MissingContext, printable } from "./missing-validators.ts";
import { isUnsupported, kindOfRefusal, meaningOfCode } from "./refusals.ts";

export interface FailedCollection extends MissingContext {
  readonly task: SigningTask;
  readonly quorum: Quorum;
  readonly ballot: Ballot;
}

const TOO_LATE = "did not answer in time";
const WORDS: Readonly<Partial<Record<Missing["reason"], string>>> = {
  NOT_SEEN: "have not seen the message",
  TIMEOUT: TOO_LATE,
  NOT_NEEDED: "were not waited for",
  NOT_CONNECTED: "are not connected",
  INVALID_SIGNATURE: "sent an invalid signature",
};

/**
 * Why the quorum was not reached. `INVALID_PARAMETER` if validators with the weight of a quorum refuse with the same code, or if so
 * many refuse for good (kind `request`) that the others are no quorum. Otherwise `UNAVAILABLE`. Refusals of a busy node, and those
 * without a reason, do not count.
 */
export function explainFailure(failed: FailedCollection): Failure {
  const { task, quorum, ballot } = failed;
  const signed = ballot.weightWhere(hasSigned);
  const { totalWeight } = task.set;
  const code = refusedAsRequest(failed);
  const weights = insufficientWeight(signed, totalWeight, quorum.quorumPercentage);
  const message = `message 0x${task.message.messageId}`;
  const text = `${weights}; weights of the validators of ${subnetText(task)}, of ${totalWeight} in all: ${[`${signed} signed`, ...reasonsOf(failed, code)].join(", ")}`;
  if (code === null)
    return new Failure("UNAVAILABLE", `too few validators signed ${message}: ${text}; try again in some seconds`);
  return new Failure(
    "INVALID_PARAMETER",
    `validators refuse to sign ${message} (${describeCode(code, failed)}): ${text}`,
  );
}

/** Why not enough validators are connected. */
export function explainDisconnection({ task, quorum, ballot, disconnectionOf }: FailedCollection): Failure {
  const isConnected = ({ nodes }: Voter) => nodes.some(({ nodeId }) => disconnectionOf(nodeId) === null);
  const connected = ballot.weightWhere((voter) => hasSigned(voter) || isConnected(voter));
  const missing = ballot.voters.filter((voter) => !hasSigned(voter) && !isConnected(voter));
  const [nodeId] = missing[0]?.validator.nodeIds ?? [];
  const example = nodeId ? `; for example ${nodeId}: ${disconnectionOf(nodeId)}` : "";
  return new Failure(
    "UNAVAILABLE",
    `could not connect to a threshold of stake of ${subnetText(task)}: validators with a weight of ${connected} of ${task.set.totalWeight} are connected, and ${ballot.requiredWeight} (${quorum.quorumPercentage}%) is required; ${missing.length} validators are not connected${example}`,
  );
}

/** Weights by reason, such as "30 refused (code 16: …)", heaviest first. The failure's text explains `knownCode` elsewhere. */
function reasonsOf(failed: FailedCollection, knownCode: number | null): string[] {
  const { ballot, task } = failed;
  const isTimeUp = ballot.weightWhere((voter) => !hasFailed(voter)) >= ballot.requiredWeight;
  const weights = new Map<string, bigint>();
  for (const voter of ballot.voters) {
    if (hasSigned(voter)) continue;
    const { reason, errorCode } = describeMissing(voter, failed);
    let words = WORDS[reason] ?? "did not sign";
    if (reason === "NOT_NEEDED" && isTimeUp && isUnderWay(voter)) words = TOO_LATE;
    if (errorCode !== null)
      words = `refused (${errorCode === knownCode ? `code ${errorCode}` : describeCode(errorCode, failed)})`;
    weights.set(words, (weights.get(words) ?? 0n) + voter.validator.weight);
  }
  const unable = task.unable.reduce((sum, { weight }) => sum + weight, 0n);
  if (unable > 0n) weights.set("cannot sign (no BLS key, or inactive)", unable);
  return heaviestFirst(weights).map(([words, weight]) => `${weight} ${words}`);
}

/** The code with its meaning, and what the heaviest of the nodes that give it says. */
function describeCode(code: number, { ballot, sourceChainId }: FailedCollection): string {
  const causes = ballot.voters.flatMap((voter) => (hasSigned(voter) ? [] : (causeOf(voter) ?? [])));
  const [said = ""] = causes.flatMap((cause) =>
    cause.kind === "refused" && cause.errorCode === code ? printable(cause.errorMessage) || [] : [],
  );
  const meaning = `code ${code}: ${meaningOfCode(sourceChainId, code)}`;
  return said === "" ? meaning : `${meaning}; a node says: ${said}`;
}

/**
 * The code with which a quorum refuses. If there is none, but the refusals for good (kind `request`) leave no quorum, the code of the
 * heaviest of these. Otherwise null.
 */
function refusedAsRequest({ ballot, sourceChainId }: FailedCollection): number | null {
  const all = new Map<number, bigint>();
  const final = new Map<number, bigint>();
  for (const voter of ballot.voters) {
    const cause = hasSigned(voter) ? null : causeOf(voter);
    if (cause?.kind !== "refused") continue;
    const { errorCode } = cause;
    const kind = kindOfRefusal(sourceChainId, cause);
    if (kind === "request" || (kind === "lag" && errorCode > 0) || isUnsupported(cause))
      add(all, errorCode, voter.validator.weight);
    if (kind === "request") add(final, errorCode, voter.validator.weight);
  }
  const keyed = ballot.weightWhere(() => true);
  const finalWeight = [...final.values()].reduce((sum, weight) => sum + weight, 0n);
  const [majority] = heaviestFirst(all);
  if (majority && majority[1] >= ballot.requiredWeight) return majority[0];
  return keyed - finalWeight < ballot.requiredWeight ? (heaviestFirst(final)[0]?.[0] ?? null) : null;
}

function add(weights: Map<number, bigint>, code: number, weight: bigint): void {
  weights.set(code, (weights.get(code) ?? 0n) + weight);
}

function heaviestFirst<Key>(weights: ReadonlyMap<Key, bigint>): [Key, bigint][] {
  return [...weights].sort(([, one], [, other]) => {
    if (one === other) return 0;
    return one > other ? -1 : 1;
  });
}
