import { EMPTY_ID, type PChainState } from "./config.ts";
import type { ValidatorNode } from "./peer/validator-node.ts";

/** One validator as the P-Chain sees it. */
export interface SetMember {
  readonly nodeId: string;
  /** Compressed BLS key; null if the validator has none, or is a deactivated L1 validator. */
  readonly publicKey: Buffer | null;
  readonly weight: bigint;
}

const EMPTY_NODE_ID = "NodeID-111111111111111111116DBWJs";

/**
 * The validators of a subnet at a height: the configured set with the highest first height up to it, else the L1's validators,
 * else the nodes that validate the subnet. Deactivated L1 validators are one member without key under the empty node id.
 */
export function validatorsAt(
  state: PChainState,
  nodes: readonly ValidatorNode[],
  subnetId: string,
  height: number,
): SetMember[] {
  const configured = configuredSet(state, subnetId, height);
  if (configured) return configured;
  const l1 = Object.values(state.l1Validators).filter((validator) => validator.subnetId === subnetId);
  if (l1.length === 0) return nodes.flatMap((node) => memberOf(node, subnetId));
  const active = l1.filter(({ balance }) => balance > 0n);
  const inactive = l1.filter(({ balance }) => balance === 0n).reduce((sum, { weight }) => sum + weight, 0n);
  return inactive > 0n ? [...active, { nodeId: EMPTY_NODE_ID, publicKey: null, weight: inactive }] : active;
}

function configuredSet({ validatorSets }: PChainState, subnetId: string, height: number): SetMember[] | null {
  const sets = Object.entries(validatorSets[subnetId] ?? {})
    .map(([first, members]) => ({ first: Number(first), members }))
    .filter(({ first }) => first <= height)
    .sort((one, other) => other.first - one.first);
  const set = sets[0]?.members;
  return set ? Object.entries(set).map(([nodeId, { publicKey, weight }]) => ({ nodeId, publicKey, weight })) : null;
}

function memberOf({ nodeId, blsKey, config }: ValidatorNode, subnetId: string): SetMember[] {
  const subnet = config.subnets.find((one) => one.subnetId === subnetId);
  if (!subnet) return [];
  return [{ nodeId, publicKey: config.noKey ? null : blsKey.publicKey, weight: subnet.weight ?? config.weight }];
}

/** The subnets that have validators. */
export function subnetsOf(state: PChainState, nodes: readonly ValidatorNode[]): Set<string> {
  return new Set([
    EMPTY_ID,
    ...Object.keys(state.validatorSets),
    ...Object.values(state.l1Validators).map(({ subnetId }) => subnetId),
    ...nodes.flatMap(({ config }) => config.subnets.map(({ subnetId }) => subnetId)),
  ]);
}
