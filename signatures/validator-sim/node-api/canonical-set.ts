import { PublicKey } from "@chainsafe/blst";
import type { SetMember } from "../population.ts";

/** Validators with the same BLS key, which count once. */
export interface CanonicalValidator {
  readonly publicKey: Buffer;
  readonly uncompressedKey: Buffer;
  readonly weight: bigint;
  readonly nodeIds: readonly string[];
}

/** A validator set as signatures refer to it: the index of a validator is its bit (avalanchego:snow/validators/warp.go). */
export interface CanonicalSet {
  readonly validators: readonly CanonicalValidator[];
  /** Includes the weight of validators without a key. */
  readonly totalWeight: bigint;
}

export function canonicalSetOf(members: readonly SetMember[]): CanonicalSet {
  const byKey = new Map<string, CanonicalValidator>();
  for (const { publicKey, weight, nodeId } of members) {
    if (!publicKey) continue;
    const name = publicKey.toString("hex");
    const same = byKey.get(name);
    byKey.set(name, {
      publicKey,
      uncompressedKey: same?.uncompressedKey ?? Buffer.from(PublicKey.fromBytes(publicKey).toBytes(false)),
      weight: weight + (same?.weight ?? 0n),
      nodeIds: [...(same?.nodeIds ?? []), nodeId],
    });
  }
  return {
    validators: [...byKey.values()].sort((one, other) => one.uncompressedKey.compare(other.uncompressedKey)),
    totalWeight: members.reduce((sum, { weight }) => sum + weight, 0n),
  };
}
