import { sha256 } from "../../core/formats/codec/bytes/hashes.ts";
import { blob, encode, id, parse, struct, u32, type ValueOf, versioned } from "./format.ts";

/** The fields of a message without its codec version. A signed message begins with the same ones. */
export const MESSAGE_FIELDS = { networkId: u32, sourceChainId: id, payload: blob };

/** Bytes of a message before its payload. */
export const HEADER_BYTES = 2 + 4 + 32 + 4;

const unsignedMessage = versioned(struct(MESSAGE_FIELDS));

/**
 * A Warp message that validators sign: network, chain that sent it (hex) and payload. Source: avalanchego,
 * vms/platformvm/warp/unsigned_message.go.
 */
export type UnsignedMessage = ValueOf<typeof unsignedMessage>;

/** Source chain of the messages of the P-Chain, in hex; also the id of the primary network as a subnet. */
export const P_CHAIN_ID = "00".repeat(32);

/** Parses the bytes of a message. Throws `MalformedMessage`. */
export function parseUnsignedMessage(bytes: Uint8Array): UnsignedMessage {
  return parse(unsignedMessage, bytes, "warp message");
}

/** The bytes that validators sign. */
export function encodeUnsignedMessage(message: UnsignedMessage): Uint8Array {
  return encode(unsignedMessage, message);
}

/** The id of a message, in hex: SHA-256 of its bytes. */
export function messageIdOf(unsignedBytes: Uint8Array): string {
  return sha256(unsignedBytes);
}
