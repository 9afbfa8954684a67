import { sha256 } from "../../../core/formats/codec/bytes/hashes.ts";
import {
  blob,
  blsPublicKey,
  blsSignature,
  bool,
  constant,
  decode,
  hexBytes,
  id,
  integer,
  list,
  oneOf,
  shortId,
  sizedNodeId,
  struct,
  u32,
  u64,
  type ValueOf,
  versions,
} from "../../../core/formats/codec/bytes/layout.ts";

const signature = oneOf({ 0: struct({ signers: hexBytes, signature: blsSignature }) });
const message = versions({ 0: struct({ networkId: u32, sourceChainId: id, payload: blob, signature }) });
const addressedCall = versions({ 0: oneOf({ 1: struct({ sourceAddress: hexBytes, payload: blob }) }) });

const owner = struct({ threshold: u32, addresses: list(shortId) });
const l1Message = versions({
  0: oneOf({
    0: struct({ type: constant("SubnetToL1Conversion"), conversionId: id }),
    1: struct({
      type: constant("RegisterL1Validator"),
      subnetId: id,
      nodeId: sizedNodeId,
      blsPublicKey,
      expiry: integer,
      remainingBalanceOwner: owner,
      disableOwner: owner,
      weight: u64,
    }),
    2: struct({ type: constant("L1ValidatorRegistration"), validationId: id, registered: bool }),
    3: struct({ type: constant("L1ValidatorWeight"), validationId: id, nonce: u64, weight: u64 }),
  }),
});

/** A message between an L1 and the P-Chain about validators. */
export type L1Message = ValueOf<typeof l1Message>;

/** A signed Warp message from an L1 to the P-Chain. */
export interface WarpL1Message {
  readonly networkId: number;
  readonly sourceChainId: string;
  /** In hex, of any length; 20 bytes for a contract. */
  readonly sourceAddress: string;
  readonly message: L1Message;
  /** SHA-256 of the message. For a RegisterL1Validator message, this is the validation id. */
  readonly messageId: string;
  /** The validators that signed, as a big-endian bit set in hex. */
  readonly signers: string;
}

/** Decodes the `message` of a RegisterL1ValidatorTx or SetL1ValidatorWeightTx. Throws `BadUpstreamData`. */
export function decodeWarpL1Message(bytes: Uint8Array): WarpL1Message {
  const { networkId, sourceChainId, payload, signature } = decode(message, bytes, "warp message");
  const call = decode(addressedCall, payload, "addressed call of a warp message");
  return {
    networkId,
    sourceChainId,
    sourceAddress: call.sourceAddress,
    message: decode(l1Message, call.payload, "L1 message"),
    messageId: sha256(call.payload),
    signers: signature.signers,
  };
}
