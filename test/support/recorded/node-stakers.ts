import type { Snapshot } from "./primary-recording.ts";

/**
 * An active or pending validation or delegation, as a node of any release returns it. Members that a release leaves out are
 * undefined.
 */
export interface NodeStaker {
  readonly txID?: string;
  readonly nodeID: string;
  readonly startTime: string;
  readonly endTime: string;
  readonly weight?: string;
  /** Name of the weight in older releases. */
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
  /** Only if the request named a single node. */
  readonly delegators?: readonly NodeStaker[] | null;
}

export interface NodeOwner {
  readonly locktime: string;
  readonly threshold: string;
  readonly addresses: readonly string[];
}

/** A registered validator of an L1, as a node returns it. */
export interface NodeL1Validator {
  readonly validationID: string;
  readonly nodeID: string;
  readonly weight: string;
  readonly startTime: string;
  readonly publicKey: string;
  readonly remainingBalanceOwner: NodeOwner;
  readonly deactivationOwner: NodeOwner;
  readonly minNonce: string;
  /** Absent in lists if it is 0. */
  readonly balance?: string;
}

export const PRIMARY_SUBNET = "11111111111111111111111111111111LpoYY";

export interface Asked<Answer> {
  readonly subnetId: string;
  /** Null: all nodes. */
  readonly nodeId: string | null;
  readonly answer: Answer;
}

/** The validators of a subnet, or one of its nodes, by request. */
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

/** Pending stakers by subnet; empty for releases that do not return them. */
export function pendingStakers(
  snapshot: Snapshot,
): Asked<{ readonly validators: NodeStaker[]; readonly delegators: NodeStaker[] }>[] {
  return asked(snapshot, "platform.getPendingValidators");
}

/** Total weight of a subnet's validators. */
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

/** A node's percentage without trailing zeros: `5` for `5.0000`. */
export const feeOf = ({ delegationFee }: NodeStaker): string | null =>
  delegationFee === undefined ? null : String(Number(delegationFee));

/** An owner's threshold, and its addresses without chain prefix. */
export const ownerOf = (owner: NodeOwner | undefined) =>
  owner ? { threshold: Number(owner.threshold), addresses: owner.addresses.map((address) => address.slice(2)) } : null;
