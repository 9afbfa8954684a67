import type { SignableMessage } from "./protocol/protocol.ts";
import type { CanonicalSet, ValidatorEntry } from "./validator-sets/canonical-set.ts";

/** One message to sign, and the validators that sign it. Ids in hex. */
export interface SigningTask {
  readonly message: SignableMessage;
  readonly networkId: number;
  readonly unsignedBytes: Uint8Array;
  readonly justification: Uint8Array;
  readonly signingSubnetId: string;
  readonly pChainHeight: bigint;
  readonly set: CanonicalSet;
  /**
   * Validators without a BLS key and inactive ones of an L1: they count with their weight and cannot sign. `nodeId` is empty for
   * inactive ones.
   */
  readonly unable: readonly ValidatorEntry[];
}
