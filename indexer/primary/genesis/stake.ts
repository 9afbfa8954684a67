import { type Allocation, type GenesisFile, type InitialStaker, lockedIn, type Unlock } from "./genesis-file.ts";

/** A part of a validator's stake. */
export interface StakePart extends Unlock {
  readonly address: string;
}

/** A validator of the genesis. */
export interface GenesisValidator extends InitialStaker {
  /** End of its stake, in seconds. */
  readonly end: number;
  readonly stake: readonly StakePart[];
}

/** The genesis validators in the order of the genesis state of the P-Chain. */
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

/** End of the stake of the validator at that index in the file, in seconds. */
export function endOf({ startTime, initialStakeDuration, initialStakeDurationOffset }: GenesisFile, index: number) {
  return startTime + initialStakeDuration - index * initialStakeDurationOffset;
}

/**
 * Splits the locked amounts into shares of equal size, with the remainder in the last one. As in a node, a share is closed when
 * the next amount does not fit, so an amount that starts exactly at the end of a share adds a part of 0 to it.
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

/** Compares two numbers or two texts: -1, 0 or 1. */
export function compare<Value extends bigint | string>(one: Value, other: Value): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** The array of a binary min-heap after inserting the values in order. */
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
