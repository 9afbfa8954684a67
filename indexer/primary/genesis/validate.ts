import { addressPrefix, formatAddress } from "../../../core/formats/bech32.ts";
import { formatNodeId } from "../../../core/formats/id-text.ts";
import { type GenesisFile, initialSupplyOf, lockedIn } from "./genesis-file.ts";
import { endOf, stakedAllocations } from "./stake.ts";

const U64 = 2n ** 64n - 1n;

/**
 * Checks the rules between members that a node requires of a genesis file. Returns one line that says which rule is broken, or
 * null.
 */
export function validateGenesisFile(file: GenesisFile): string | null {
  for (const rule of RULES) {
    const problem = rule(file);
    if (problem) return problem;
  }
  return null;
}

type Rule = (file: GenesisFile) => string | null;

const RULES: readonly Rule[] = [
  ({ initialStakers }) =>
    initialStakers.length === 0 ? "member initialStakers is empty: must have at least one validator" : null,
  ({ initialStakedFunds }) =>
    initialStakedFunds.length === 0
      ? "member initialStakedFunds is empty: must have at least one address with locked amounts"
      : null,
  checkSupply,
  checkStakedFunds,
  checkStakers,
  checkStake,
  checkDuration,
];

function checkSupply(file: GenesisFile): string | null {
  const supply = initialSupplyOf(file);
  if (supply > 0n && supply <= U64) return null;
  return `member allocations adds up to ${supply}: must be from 1 to ${U64}`;
}

function checkStakedFunds({ networkId, allocations, initialStakedFunds }: GenesisFile): string | null {
  const allocated = new Set(allocations.map(({ avaxAddr }) => avaxAddr));
  const seen = new Set<string>();
  for (const [index, address] of initialStakedFunds.entries()) {
    const member = () =>
      `member initialStakedFunds.${index} is ${formatAddress({ chain: "X", prefix: addressPrefix(networkId), address })}`;
    if (seen.has(address)) return `${member()}: must not be named twice`;
    if (!allocated.has(address)) return `${member()}: must have an allocation`;
    seen.add(address);
  }
  return null;
}

function checkStakers({ initialStakers }: GenesisFile): string | null {
  const nodeIds = initialStakers.map(({ nodeId }) => nodeId);
  const index = nodeIds.findIndex((nodeId, at) => nodeIds.indexOf(nodeId) < at);
  if (index < 0) return null;
  return `member initialStakers.${index}.nodeID is ${formatNodeId(nodeIds[index] as string)}: must not be named twice`;
}

function checkStake(file: GenesisFile): string | null {
  const staked = stakedAllocations(file).reduce((sum, { unlockSchedule }) => sum + lockedIn(unlockSchedule), 0n);
  const count = file.initialStakers.length;
  if (staked >= count) return null;
  return `member initialStakedFunds has ${staked} locked in its allocations: must be at least 1 for each of ${count} validators`;
}

function checkDuration(file: GenesisFile): string | null {
  const last = file.initialStakers.length - 1;
  if (endOf(file, last) > file.startTime) return null;
  const rule = `must be more than ${last} times initialStakeDurationOffset, ${file.initialStakeDurationOffset}`;
  return `member initialStakeDuration is ${file.initialStakeDuration}: ${rule}`;
}
