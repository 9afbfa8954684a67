import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { type AppError, type AppResponse, decodeAppError, decodeAppResponse } from "./app-messages.ts";
import { decompress } from "./decompress.ts";
import { delimited, type FieldReaders, readFields } from "./fields.ts";
import { decodeHandshake, type Handshake } from "./handshake.ts";
import { type ClaimedAddress, decodePeerList } from "./peer-list.ts";

/** Field numbers of `p2p.Message` (avalanchego: proto/p2p/p2p.proto). */
const FIELDS = {
  compressed: 2,
  ping: 11,
  pong: 12,
  handshake: 13,
  peerList: 14,
  appRequest: 30,
  appResponse: 31,
  appError: 34,
  getPeerList: 35,
} as const;

/** A message of a peer. `other` are messages that a client has no use for. */
export type PeerMessage =
  | { readonly kind: "ping" | "pong" | "getPeerList" | "other" }
  | { readonly kind: "handshake"; readonly handshake: Handshake }
  | { readonly kind: "peerList"; readonly claims: readonly ClaimedAddress[] }
  | { readonly kind: "appResponse"; readonly response: AppResponse }
  | { readonly kind: "appError"; readonly error: AppError };

/**
 * Reads a message and decompresses it if it is compressed. Throws if it is malformed; `ProtocolViolation` if its content is too
 * large or takes too long to decompress.
 */
export function decodeMessage(bytes: Uint8Array): PeerMessage {
  const compressed: Uint8Array[] = [];
  const message = readMessage(bytes, { [delimited(FIELDS.compressed)]: (reader) => compressed.push(reader.bytes()) });
  const [content] = compressed;
  return content ? readMessage(decompress(content), {}) : message;
}

function readMessage(bytes: Uint8Array, others: FieldReaders): PeerMessage {
  let message: PeerMessage = { kind: "other" };
  const ofKind = (kind: "ping" | "pong" | "getPeerList"): FieldReaders[number] => {
    return (reader) => {
      reader.bytes();
      message = { kind };
    };
  };
  readFields(bytes, {
    ...others,
    [delimited(FIELDS.ping)]: ofKind("ping"),
    [delimited(FIELDS.pong)]: ofKind("pong"),
    [delimited(FIELDS.getPeerList)]: ofKind("getPeerList"),
    [delimited(FIELDS.handshake)]: (reader) => {
      message = { kind: "handshake", handshake: decodeHandshake(reader.bytes()) };
    },
    [delimited(FIELDS.peerList)]: (reader) => {
      message = { kind: "peerList", claims: decodePeerList(reader.bytes()) };
    },
    [delimited(FIELDS.appResponse)]: (reader) => {
      message = { kind: "appResponse", response: decodeAppResponse(reader.bytes()) };
    },
    [delimited(FIELDS.appError)]: (reader) => {
      message = { kind: "appError", error: decodeAppError(reader.bytes()) };
    },
  });
  return message;
}

/** A message of one field. */
export function encodeMessage(field: Exclude<keyof typeof FIELDS, "compressed">, content: Uint8Array): Uint8Array {
  return new BinaryWriter().uint32(delimited(FIELDS[field])).bytes(content).finish();
}

const NOTHING = new Uint8Array(0);
/** A ping with uptime 0: this client does not measure the uptime of nodes. */
export const PING = encodeMessage("ping", NOTHING);
export const PONG = encodeMessage("pong", NOTHING);
/** A peer list without addresses: this client tells nobody about other nodes. */
export const EMPTY_PEER_LIST = encodeMessage("peerList", NOTHING);
