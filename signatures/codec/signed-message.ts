import { blob, blsSignature, encode, oneOf, parse, struct, type ValueOf, variant, versioned } from "./format.ts";
import { HEADER_BYTES, MESSAGE_FIELDS, type UnsignedMessage } from "./unsigned-message.ts";

const signature = oneOf({ 0: variant("BitSetSignature", { signers: blob, signature: blsSignature }) });
const signedMessage = versioned(struct({ ...MESSAGE_FIELDS, signature }));
type Fields = ValueOf<typeof signedMessage>;

/** A message with the aggregate signature of some validators. Source: avalanchego, vms/platformvm/warp/message.go. */
export interface SignedMessage {
  readonly message: UnsignedMessage;
  /** The bytes that were signed. */
  readonly unsignedBytes: Uint8Array;
  /** Bit set of the validators that signed, by their index in the canonical order. Not checked: see `decodeBitSet`. */
  readonly signers: Uint8Array;
  /** 96 bytes. They need not be a valid signature. */
  readonly signature: Uint8Array;
}

/** Parses a signed message. Throws `MalformedMessage`. */
export function parseSignedMessage(bytes: Uint8Array): SignedMessage {
  const { signature, ...message } = parse(signedMessage, bytes, "signed warp message");
  return {
    message,
    unsignedBytes: bytes.subarray(0, HEADER_BYTES + message.payload.length),
    signers: signature.signers,
    signature: Buffer.from(signature.signature, "hex"),
  };
}

/** The bytes of a signed message, as contracts and the P-Chain take them. */
export function encodeSignedMessage({ message, signers, signature }: Omit<SignedMessage, "unsignedBytes">): Uint8Array {
  const hex = Buffer.from(signature).toString("hex");
  const value: Fields = { ...message, signature: { type: "BitSetSignature", signers, signature: hex } };
  return encode(signedMessage, value);
}
