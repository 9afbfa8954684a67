import {
  type CanonicalSet,
  createCanonicalSet,
  type ValidatorEntry,
} from "../../../signatures/validator-sets/canonical-set.ts";
import { bytesOf, type ValidatorsAnswer } from "./warp-vectors.ts";

/** The entries of an answer of `platform.getValidatorsAt`. */
export function entriesOf(answer: ValidatorsAnswer): ValidatorEntry[] {
  return Object.entries(answer).map(([nodeId, { publicKey, weight }]) => ({
    nodeId,
    weight: BigInt(weight),
    publicKey: publicKey === null ? null : bytesOf(publicKey),
  }));
}

/** The canonical set of such an answer. */
export function setOf(answer: ValidatorsAnswer): CanonicalSet {
  return createCanonicalSet(entriesOf(answer));
}
