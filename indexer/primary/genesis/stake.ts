import { type Allocation, type GenesisFile, type InitialStaker, lockedIn, type Unlock } from "./genesis-file.ts";

/** A part of what a validator stakes. */
export interface StakePart extends Unlock {
  readonly address: string;
}

/** A validator as it is from the start. */
export interface GenesisValidator extends InitialStaker {
  /** When its stake ends, in seconds. */
  readonly end: number;
  readonly stake: readonly StakePart[];
}

/** The first validators, in the order in which the platform genesis lists them. */
export function genesisValidators(file: GenesisFile): readonly GenesisValidator[] {
  const stakes = splitEvenly(stakedAllocations(file), file.initialStakers.length);
  const validators = file.initialStakers.map((staker, index) => ({
    ...staker,
    end: endOf(file, index),
    stake: (stakes[index] as StakePart[]).toSorted(compareParts),
  }));
  return asHeap(validators, ({ end }) => end);
}

/** The allocations whose locked amounts are staked. */
export function stakedAllocations({ allocations, initialStakedFunds }: GenesisFile): readonly Allocation[] {
  const staked = new Set(initialStakedFunds);
  return allocations.filter(({ avaxAddr }) => staked.has(avaxAddr));
}

/** When the stake of the validator at that place of the file ends. */
export function endOf({ startTime, initialStakeDuration, initialStakeDurationOffset }: GenesisFile, index: number) {
  return startTime + initialStakeDuration - index * initialStakeDurationOffset;
}

/**
 * Locked amounts in shares of one size; the last has what the division leaves. A share ends only when something does not
 * fit: what begins just where one is full leaves a part of 0 in it.
 */
function splitEvenly(allocations: readonly Allocation[], count: number): StakePart[][] {
  const share = allocations.reduce((sum, { unlockSchedule }) => sum + lockedIn(unlockSchedule), 0n) / BigInt(count);
  let current: StakePart[] = [];
  const shares = [current];
  let filled = 0n;
  for (const { avaxAddr: address, unlockSchedule } of allocations) {
    for (const { amount, locktime } of unlockSchedule) {
      let left = amount;
      while (filled + left > share && shares.length < count) {
        current.push({ amount: share - filled, locktime, address });
        left -= share - filled;
        current = [];
        shares.push(current);
        filled = 0n;
      }
      if (left > 0n) current.push({ amount: left, locktime, address });
      filled += left;
    }
  }
  return shares;
}

function compareParts(one: StakePart, other: StakePart): number {
  return (
    compare(one.locktime, other.locktime) || compare(one.amount, other.amount) || compare(one.address, other.address)
  );
}

/** Order of two numbers, or of two texts. */
export function compare<Value extends bigint | string>(one: Value, other: Value): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Values as a binary heap holds them that got one after the other, the smallest key first. */
function asHeap<Value>(values: readonly Value[], keyOf: (value: Value) => number): Value[] {
  const heap: Value[] = [];
  for (const value of values) {
    let at = heap.push(value) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Value;
      if (keyOf(value) >= keyOf(above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = value;
  }
  return heap;
}
