import type { Snapshot } from "./primary-recording.ts";

/**
 * A validation or delegation that runs or is to run, as a node of any release says it; what a release leaves out is
 * undefined.
 */
export interface NodeStaker {
  readonly txID?: string;
  readonly nodeID: string;
  readonly startTime: string;
  readonly endTime: string;
  readonly weight?: string;
  /** Older releases' word for the weight of a stake. */
  readonly stakeAmount?: string;
  readonly delegationFee?: string;
  readonly potentialReward?: string;
  readonly accruedDelegateeReward?: string;
  readonly delegatorCount?: string;
  readonly delegatorWeight?: string;
  readonly rewardOwner?: NodeOwner;
  readonly validationRewardOwner?: NodeOwner;
  readonly delegationRewardOwner?: NodeOwner;
  readonly signer?: { readonly publicKey: string; readonly proofOfPossession: string };
  /** Only of a node that was asked for by itself. */
  readonly delegators?: readonly NodeStaker[] | null;
}

export interface NodeOwner {
  readonly locktime: string;
  readonly threshold: string;
  readonly addresses: readonly string[];
}

/** A validator of an L1 that was not removed, as a node says it. */
export interface NodeL1Validator {
  readonly validationID: string;
  readonly nodeID: string;
  readonly weight: string;
  readonly startTime: string;
  readonly publicKey: string;
  readonly remainingBalanceOwner: NodeOwner;
  readonly deactivationOwner: NodeOwner;
  readonly minNonce: string;
  /** Absent in a list where it is used up. */
  readonly balance?: string;
}

export const PRIMARY_SUBNET = "11111111111111111111111111111111LpoYY";

export interface Asked<Answer> {
  readonly subnetId: string;
  /** Null: all nodes. */
  readonly nodeId: string | null;
  readonly answer: Answer;
}

/** Who validates, by what was asked: a subnet, or one node of it. */
export function currentValidators(
  snapshot: Snapshot,
): Asked<{ readonly stakers: NodeStaker[]; readonly l1: NodeL1Validator[] }>[] {
  return asked<{ validators: (NodeStaker | NodeL1Validator)[] }>(snapshot, "platform.getCurrentValidators").map(
    ({ answer: { validators }, ...one }) => ({
      ...one,
      answer: {
        stakers: validators.filter((validator): validator is NodeStaker => "txID" in validator),
        l1: validators.filter((validator): validator is NodeL1Validator => "validationID" in validator),
      },
    }),
  );
}

/** Stakers that are to start, by subnet; none of releases that do not say. */
export function pendingStakers(
  snapshot: Snapshot,
): Asked<{ readonly validators: NodeStaker[]; readonly delegators: NodeStaker[] }>[] {
  return asked(snapshot, "platform.getPendingValidators");
}

/** What all that validates a subnet weighs. */
export function totalWeights(snapshot: Snapshot): Asked<{ readonly weight?: string; readonly stake: string }>[] {
  return asked(snapshot, "platform.getTotalStake");
}

function asked<Answer>(snapshot: Snapshot, method: string): Asked<Answer>[] {
  return snapshot.answers(method).flatMap(({ params, result }) => {
    const nodeIds = (params["nodeIDs"] ?? []) as string[];
    const subnetId = String(params["subnetID"] ?? PRIMARY_SUBNET);
    return nodeIds.length > 1 ? [] : [{ subnetId, nodeId: nodeIds[0] ?? null, answer: result as Answer }];
  });
}

export const weightOf = ({ weight, stakeAmount }: NodeStaker): string => String(weight ?? stakeAmount);

/** A node's percent without zeros at its end, as `5` for `5.0000`. */
export const feeOf = ({ delegationFee }: NodeStaker): string | null =>
  delegationFee === undefined ? null : String(Number(delegationFee));

/** An owner's threshold, and its addresses without the chain before them. */
export const ownerOf = (owner: NodeOwner | undefined) =>
  owner ? { threshold: Number(owner.threshold), addresses: owner.addresses.map((address) => address.slice(2)) } : null;
