/** What a network begins with, as a node's genesis file says it. Ids and addresses are hex without `0x`. */
export interface GenesisFile {
  readonly networkId: number;
  readonly allocations: readonly Allocation[];
  /** Times and durations in seconds. */
  readonly startTime: number;
  readonly initialStakeDuration: number;
  /** By how much each validator's stake ends before that of the one before it in the list. */
  readonly initialStakeDurationOffset: number;
  /** Addresses whose locked amounts the first validators stake. */
  readonly initialStakedFunds: readonly string[];
  readonly initialStakers: readonly InitialStaker[];
  /** Genesis of the C-Chain in JSON, kept word for word: the chain's id depends on every character. */
  readonly cChainGenesis: string;
  readonly message: string;
}

/** What an address begins with: an amount on the X-Chain, and on the P-Chain amounts that are locked for a time. */
export interface Allocation {
  readonly ethAddr: string;
  readonly avaxAddr: string;
  readonly initialAmount: bigint;
  readonly unlockSchedule: readonly Unlock[];
}

/** An amount that is locked until `locktime`; it may also never be. */
export interface Unlock {
  readonly amount: bigint;
  readonly locktime: bigint;
}

export interface InitialStaker {
  readonly nodeId: string;
  readonly rewardAddress: string;
  /** In millionths. */
  readonly delegationFee: number;
  readonly signer: { readonly publicKey: string; readonly proofOfPossession: string } | null;
}

/** All that the file gives out, staked or not. */
export function initialSupplyOf({ allocations }: Pick<GenesisFile, "allocations">): bigint {
  return allocations.reduce(
    (sum, { initialAmount, unlockSchedule }) => sum + initialAmount + lockedIn(unlockSchedule),
    0n,
  );
}

export function lockedIn(unlocks: readonly Unlock[]): bigint {
  return unlocks.reduce((sum, { amount }) => sum + amount, 0n);
}

/** How often nodes of the network `local`, and of those that have no file, move their start on. */
const RENEWAL_SECONDS = 270 * 24 * 60 * 60;

/**
 * The start that a node takes when it makes such a network at that time (seconds): the file's own, moved on by 270 days
 * as often as it stays in the past. To be put in the place of the file's `startTime`.
 */
export function recentStartTime(startTime: number, now: number): number {
  return startTime + Math.max(0, Math.floor((now - startTime) / RENEWAL_SECONDS)) * RENEWAL_SECONDS;
}
