import type { Signature } from "../bls/signatures.ts";
import type { Quorum } from "../signature-source.ts";
import type { SigningTask } from "../signing-task.ts";
import type { CanonicalValidator } from "../validator-sets/canonical-set.ts";
import { requiredWeight } from "../validator-sets/quorum.ts";
import type { Refusal } from "./refusals.ts";

/** Why a node has not given a signature. */
export type Cause =
  | ({ readonly kind: "refused" } & Refusal)
  | { readonly kind: "notSeen" }
  | { readonly kind: "timeout" }
  | { readonly kind: "disconnected"; readonly reason: string }
  | { readonly kind: "invalid"; readonly reason: string };

/**
 * A node of a validator. `open`: it can be asked. `asked`: its answer is awaited. `verifying`: its signature is being verified.
 * `pausing`: it will be asked again. `settled`: it is not asked any more.
 */
export interface VotingNode {
  readonly nodeId: string;
  state: "open" | "asked" | "verifying" | "pausing" | "settled";
  attempts: number;
  /** The time of the next attempt, by the collector's clock, while the node is pausing. */
  dueMs: number;
  /** Why the latest attempt gave no signature. */
  cause: Cause | null;
}

/** A BLS key of the set. All nodes that share it are asked; the first valid signature counts. */
export interface Voter {
  readonly index: number;
  readonly validator: CanonicalValidator;
  readonly nodes: readonly VotingNode[];
  signature: Signature | null;
}

/** Who has signed so far, and whose signatures can still come. */
export interface Ballot {
  /** Heaviest first, and among equal ones by index. */
  readonly voters: readonly Voter[];
  /** Least weight that is accepted. */
  readonly requiredWeight: bigint;
  /** Least weight at which the collection ends early. */
  readonly targetWeight: bigint;
  /** Returns a node and its voter. Throws if it is not a node of the set. */
  placeOf(nodeId: string): { readonly voter: Voter; readonly node: VotingNode };
  /** Weight of the voters for which the condition holds. */
  weightWhere(condition: (voter: Voter) => boolean): bigint;
}

export function createBallot({ set }: SigningTask, { quorumPercentage, quorumPercentageBuffer }: Quorum): Ballot {
  const voters = set.validators.map(createVoter).sort(byWeight);
  const entries = voters.flatMap((voter) => voter.nodes.map((node) => [node.nodeId, { voter, node }] as const));
  const places = new Map(entries);
  const placeOf = (nodeId: string) => {
    const place = places.get(nodeId);
    if (!place) throw new Error(`${nodeId} is not a validator of the set`);
    return place;
  };
  return {
    voters,
    requiredWeight: requiredWeight(set.totalWeight, quorumPercentage),
    targetWeight: requiredWeight(set.totalWeight, quorumPercentage + quorumPercentageBuffer),
    placeOf,
    weightWhere: (condition) =>
      voters.reduce((sum, voter) => (condition(voter) ? sum + voter.validator.weight : sum), 0n),
  };
}

/** True if the voter has signed. */
export function hasSigned({ signature }: Voter): boolean {
  return signature !== null;
}

/** True if the voter has not signed and none of its nodes will be asked again. */
export function hasFailed({ signature, nodes }: Voter): boolean {
  return signature === null && nodes.every(({ state }) => state === "settled");
}

/** True while a node of the voter is asked, or its answer is verified. */
export function isUnderWay({ nodes }: Voter): boolean {
  return nodes.some(({ state }) => state === "asked" || state === "verifying");
}

/** True if a node of the voter has refused to sign, and none has signed. */
export function hasRefused({ signature, nodes }: Voter): boolean {
  return signature === null && nodes.some(({ cause }) => cause?.kind === "refused");
}

/** The most telling cause among the nodes of a voter; null if none of them has failed. */
export function causeOf({ nodes }: Voter): Cause | null {
  const causes = nodes.flatMap(({ cause }) => cause ?? []);
  return ORDER.flatMap((kind) => causes.filter((cause) => cause.kind === kind))[0] ?? null;
}

const ORDER: readonly Cause["kind"][] = ["refused", "invalid", "notSeen", "timeout", "disconnected"];

function createVoter(validator: CanonicalValidator, index: number): Voter {
  const nodes = validator.nodeIds.map(
    (nodeId): VotingNode => ({ nodeId, state: "open", attempts: 0, dueMs: 0, cause: null }),
  );
  return { index, validator, nodes, signature: null };
}

/** Orders voters: the heaviest first, and among equal ones by index. */
export function byWeight(one: Voter, other: Voter): number {
  const difference = other.validator.weight - one.validator.weight;
  if (difference === 0n) return one.index - other.index;
  return difference < 0n ? -1 : 1;
}
