import { sha256 } from "../../core/formats/codec/bytes/hashes.ts";
import {
  blob,
  blsPublicKey,
  encode,
  id,
  list,
  parse,
  sizedNodeId,
  struct,
  u64,
  type ValueOf,
  versioned,
} from "./format.ts";

const conversionData = versioned(
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

/** Parses conversion data. Throws `MalformedMessage`. */
export function parseConversionData(bytes: Uint8Array): ConversionData {
  return parse(conversionData, bytes, "conversion data");
}

/** The bytes of conversion data. */
export function encodeConversionData(data: ConversionData): Uint8Array {
  return encode(conversionData, data);
}

/** The id of a conversion, in hex. */
export function conversionIdOf(data: ConversionData): string {
  return sha256(encodeConversionData(data));
}
