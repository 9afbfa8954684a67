import { blob, encode, id, oneOf, parse, type ValueOf, variant, versioned } from "./format.ts";
import { MalformedMessage } from "./malformed-message.ts";

/** Largest payload that chains accept, in bytes. */
export const MAX_PAYLOAD_BYTES = 24 * 1024;

const payload = versioned(
  oneOf({ 0: variant("BlockHash", { hash: id }), 1: variant("AddressedCall", { sourceAddress: blob, payload: blob }) }),
);

/**
 * What a message contains: the hash of an accepted block, or an addressed call, which is a payload with the address of its sender.
 * The source address has 20 bytes if a contract sends the message; it is empty in messages of the P-Chain and about uptimes.
 * Source: avalanchego, vms/platformvm/warp/payload.
 */
export type Payload = ValueOf<typeof payload>;
export type AddressedCall = Extract<Payload, { readonly type: "AddressedCall" }>;

/** Parses the payload of a message. Throws `MalformedMessage`. */
export function parsePayload(bytes: Uint8Array): Payload {
  const { byteLength } = bytes;
  if (byteLength > MAX_PAYLOAD_BYTES)
    throw new MalformedMessage(`payload of a warp message has ${byteLength} bytes, more than ${MAX_PAYLOAD_BYTES}`);
  return parse(payload, bytes, "payload of a warp message");
}

/** Parses a payload that must be an addressed call. Throws `MalformedMessage`. */
export function parseAddressedCall(bytes: Uint8Array): AddressedCall {
  const parsed = parsePayload(bytes);
  if (parsed.type !== "AddressedCall")
    throw new MalformedMessage("payload of a warp message is a block hash, not an addressed call");
  return parsed;
}

/** The bytes of a payload. Throws `RangeError` if they are more than chains accept. */
export function encodePayload(value: Payload): Uint8Array {
  const bytes = encode(payload, value);
  if (bytes.byteLength > MAX_PAYLOAD_BYTES)
    throw new RangeError(`a payload of ${bytes.byteLength} bytes is larger than ${MAX_PAYLOAD_BYTES}`);
  return bytes;
}
