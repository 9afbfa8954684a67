/** A node's genesis file. Ids and addresses in hex without `0x`, amounts in nAVAX. */
export interface GenesisFile {
  readonly networkId: number;
  readonly allocations: readonly Allocation[];
  /** Times and durations in seconds. */
  readonly startTime: number;
  readonly initialStakeDuration: number;
  /** Each validator's stake ends this many seconds before that of the previous one in the list. */
  readonly initialStakeDurationOffset: number;
  /** Addresses whose locked amounts the first validators stake. */
  readonly initialStakedFunds: readonly string[];
  readonly initialStakers: readonly InitialStaker[];
  /** Genesis of the C-Chain in JSON, byte for byte, because the blockchain id depends on it. */
  readonly cChainGenesis: string;
  readonly message: string;
}

/** Initial amounts of an address: one on the X-Chain, and locked ones on the P-Chain. */
export interface Allocation {
  readonly ethAddr: string;
  readonly avaxAddr: string;
  readonly initialAmount: bigint;
  readonly unlockSchedule: readonly Unlock[];
}

/** An amount that is locked until `locktime` (seconds), unless `locktime` is before the network's start or equal to it. */
export interface Unlock {
  readonly amount: bigint;
  readonly locktime: bigint;
}

export interface InitialStaker {
  readonly nodeId: string;
  readonly rewardAddress: string;
  /** Delegation fee in millionths. */
  readonly delegationFee: number;
  readonly signer: { readonly publicKey: string; readonly proofOfPossession: string } | null;
}

/** Sum of all amounts in nAVAX, staked or not. */
export function initialSupplyOf({ allocations }: Pick<GenesisFile, "allocations">): bigint {
  return allocations.reduce(
    (sum, { initialAmount, unlockSchedule }) => sum + initialAmount + lockedIn(unlockSchedule),
    0n,
  );
}

export function lockedIn(unlocks: readonly Unlock[]): bigint {
  return unlocks.reduce((sum, { amount }) => sum + amount, 0n);
}
