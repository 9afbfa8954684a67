import { sha256 } from "../../core/formats/codec/bytes/hashes.ts";
import { blob, blsPublicKey, encode, id, list, sizedNodeId, struct, u64, type ValueOf, versioned } from "./format.ts";

/** The layout of conversion data. */
export const conversionData = versioned(
  struct({
    subnetId: id,
    managerChainId: id,
    managerAddress: blob,
    validators: list(struct({ nodeId: sizedNodeId, blsPublicKey, weight: u64 })),
  }),
);

/**
 * The conversion data of a ConvertSubnetToL1Tx, with the validators in the order of the transaction. It is only hashed, never sent.
 * Source: avalanchego, vms/platformvm/warp/message/subnet_to_l1_conversion.go.
 */
export type ConversionData = ValueOf<typeof conversionData>;

/** The bytes of conversion data. */
export function encodeConversionData(data: ConversionData): Uint8Array {
  return encode(conversionData, data);
}

/** The id of a conversion, in hex. */
export function conversionIdOf(data: ConversionData): string {
  return sha256(encodeConversionData(data));
}
