import { type PublicKey, parsePublicKey } from "../bls/keys.ts";
import { InvalidValidatorSet } from "./invalid-validator-set.ts";

/** A validator as the P-Chain has it. */
export interface ValidatorEntry {
  /** In any form, the same for all entries. */
  readonly nodeId: string;
  readonly weight: bigint;
  /** 48 bytes; null for a validator without a BLS key and for the inactive validators of an L1. */
  readonly publicKey: Uint8Array | null;
}

/** Validators with one BLS key, which sign together: their weight counts once. */
export interface CanonicalValidator {
  readonly publicKey: PublicKey;
  readonly weight: bigint;
  /** Sorted as text. */
  readonly nodeIds: readonly string[];
}

/** Validators in the order in which bit sets number them. Source: avalanchego, snow/validators/warp.go. */
export interface CanonicalSet {
  /** Ascending by the uncompressed key. */
  readonly validators: readonly CanonicalValidator[];
  /** Weight of all validators, also of those without a key, which cannot sign. */
  readonly totalWeight: bigint;
}

const MAX_WEIGHT = 2n ** 64n - 1n;

/**
 * The canonical set of validators in any order. `parseKey` may be a key cache. Throws `InvalidValidatorSet` if a weight or the
 * total weight is not a 64-bit number, and `InvalidPoint` if a key is invalid.
 */
export function createCanonicalSet(entries: Iterable<ValidatorEntry>, parseKey = parsePublicKey): CanonicalSet {
  const byKey = new Map<string, { publicKey: PublicKey; weight: bigint; nodeIds: string[] }>();
  let totalWeight = 0n;
  for (const { nodeId, weight, publicKey } of entries) {
    totalWeight = addWeight(totalWeight, weight, nodeId);
    if (publicKey === null) continue;
    const name = Buffer.from(publicKey).toString("latin1");
    const known = byKey.get(name) ?? { publicKey: parseKey(publicKey), weight: 0n, nodeIds: [] };
    known.weight += weight;
    known.nodeIds.push(nodeId);
    byKey.set(name, known);
  }
  const validators = [...byKey.values()].sort((one, other) =>
    Buffer.compare(one.publicKey.uncompressed, other.publicKey.uncompressed),
  );
  for (const { nodeIds } of validators) nodeIds.sort();
  return { validators, totalWeight };
}

function addWeight(total: bigint, weight: bigint, nodeId: string): bigint {
  if (weight < 0n || weight > MAX_WEIGHT)
    throw new InvalidValidatorSet(`the weight of ${nodeId} must be a number of 64 bits, got ${weight}`);
  const sum = total + weight;
  if (sum > MAX_WEIGHT)
    throw new InvalidValidatorSet(`the total weight of the validators exceeds 64 bits at ${nodeId}`);
  return sum;
}
