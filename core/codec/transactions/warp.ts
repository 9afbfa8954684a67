import { sha256 } from "../bytes/hashes.ts";
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
  type Read,
  shortId,
  sizedNodeId,
  struct,
  u32,
  u64,
  versions,
} from "../bytes/layout.ts";

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

/** What an L1 and the P-Chain say to each other about validators. */
export type L1Message = Read<typeof l1Message>;

/** A signed message of an L1 to the P-Chain. */
export interface WarpL1Message {
  readonly networkId: number;
  readonly sourceChainId: string;
  /** Hex of any length; of a contract 20 bytes. */
  readonly sourceAddress: string;
  readonly message: L1Message;
  /** SHA-256 of the message: the validation id that a RegisterL1Validator makes. */
  readonly messageId: string;
  /** Which validators signed, as a big-endian set of bits, in hex. */
  readonly signers: string;
}

/** Reads the `message` of a RegisterL1ValidatorTx or a SetL1ValidatorWeightTx. */
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
