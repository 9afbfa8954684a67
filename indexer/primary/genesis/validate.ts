import { addressPrefix, formatAddress } from "../../../core/bech32.ts";
import { formatNodeId } from "../../../core/id-text.ts";
import { type GenesisFile, initialSupplyOf, lockedIn } from "./genesis-file.ts";
import { endOf, stakedAllocations } from "./stake.ts";

const U64 = 2n ** 64n - 1n;

/** What makes a node refuse a file whose members are each in order, as one line; null when nothing does. */
export function faultIn(file: GenesisFile): string | null {
  for (const rule of RULES) {
    const fault = rule(file);
    if (fault) return fault;
  }
  return null;
}

type Rule = (file: GenesisFile) => string | null;

const RULES: readonly Rule[] = [
  ({ initialStakers }) =>
    initialStakers.length === 0 ? "member initialStakers is empty: a network needs a validator" : null,
  ({ initialStakedFunds }) =>
    initialStakedFunds.length === 0 ? "member initialStakedFunds is empty: the validators need a stake" : null,
  supplyFault,
  fundsFault,
  stakersFault,
  stakeFault,
  durationFault,
];

function supplyFault(file: GenesisFile): string | null {
  const supply = initialSupplyOf(file);
  if (supply > 0n && supply <= U64) return null;
  return `member allocations adds up to ${supply}: must be from 1 to ${U64}`;
}

function fundsFault({ networkId, allocations, initialStakedFunds }: GenesisFile): string | null {
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

function stakersFault({ initialStakers }: GenesisFile): string | null {
  const nodeIds = initialStakers.map(({ nodeId }) => nodeId);
  const index = nodeIds.findIndex((nodeId, at) => nodeIds.indexOf(nodeId) < at);
  if (index < 0) return null;
  return `member initialStakers.${index}.nodeID is ${formatNodeId(nodeIds[index] as string)}: must not be named twice`;
}

function stakeFault(file: GenesisFile): string | null {
  const staked = stakedAllocations(file).reduce((sum, { unlockSchedule }) => sum + lockedIn(unlockSchedule), 0n);
  const count = file.initialStakers.length;
  if (staked >= count) return null;
  return `member initialStakedFunds has ${staked} locked in its allocations: must be at least 1 for each of ${count} validators`;
}

function durationFault(file: GenesisFile): string | null {
  const last = file.initialStakers.length - 1;
  if (endOf(file, last) > file.startTime) return null;
  const rule = `must be more than ${last} times initialStakeDurationOffset, ${file.initialStakeDurationOffset}`;
  return `member initialStakeDuration is ${file.initialStakeDuration}: ${rule}`;
}
