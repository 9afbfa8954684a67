import { MAX_FRAME_BYTES } from "./frames.ts";
import {
  allBytesOf,
  bytesField,
  bytesOf,
  hasField,
  type ProtobufField,
  readFields,
  varintField,
  varintOf,
  WireError,
} from "./protobuf.ts";
import { decodeZstd, encodeZstd } from "./zstd.ts";

/** Field numbers of the oneof in `p2p.Message` (avalanchego:proto/p2p/p2p.proto). */
const COMPRESSED = 2;
const KINDS = {
  ping: 11,
  pong: 12,
  handshake: 13,
  peerList: 14,
  appRequest: 30,
  appResponse: 31,
  appGossip: 32,
  appError: 34,
  getPeerList: 35,
} as const;

export type MessageKind = keyof typeof KINDS;

/** A message of the protocol: its kind and the fields inside. */
export interface PeerMessage {
  readonly kind: MessageKind;
  readonly fields: readonly ProtobufField[];
}

/** Kinds that a node compresses whenever it sends them. */
const COMPRESSED_KINDS: ReadonlySet<MessageKind> = new Set([
  "peerList",
  "getPeerList",
  "appRequest",
  "appResponse",
  "appGossip",
  "appError",
]);

/** Parses the content of a frame; null for messages that the simulator does not know. Throws if it is no message. */
export function parseMessage(content: Buffer): PeerMessage | null {
  const outer = readFields(content);
  if (!hasField(outer, COMPRESSED)) return knownMessage(outer);
  if (outer.length !== 1) throw new WireError("a compressed message has other fields");
  return knownMessage(readFields(decodeZstd(bytesOf(outer, COMPRESSED), MAX_FRAME_BYTES)));
}

function knownMessage(outer: readonly ProtobufField[]): PeerMessage | null {
  const last = outer.findLast(({ number }) => Object.values<number>(KINDS).includes(number));
  if (!last) return null;
  const kind = (Object.keys(KINDS) as MessageKind[]).find((name) => KINDS[name] === last.number);
  return kind ? { kind, fields: readFields(bytesOf([last], last.number)) } : null;
}

/** A message with the given fields, compressed if nodes compress its kind. */
export function encodeMessage(kind: MessageKind, fields: readonly Uint8Array[], isCompressible = true): Buffer {
  const plain = bytesField(KINDS[kind], Buffer.concat(fields));
  return isCompressible && COMPRESSED_KINDS.has(kind) ? encodeCompressed(encodeZstd(plain)) : plain;
}

/** A message whose only content is a zstd frame. */
export function encodeCompressed(zstdFrame: Uint8Array): Buffer {
  return bytesField(COMPRESSED, zstdFrame);
}

export interface AppRequest {
  readonly chainId: Buffer;
  readonly requestId: bigint;
  readonly deadlineNano: bigint;
  readonly appBytes: Buffer;
}

export function parseAppRequest({ fields }: PeerMessage): AppRequest {
  return {
    chainId: bytesOf(fields, 1),
    requestId: varintOf(fields, 2),
    deadlineNano: varintOf(fields, 3),
    appBytes: bytesOf(fields, 4),
  };
}

/** Fields of an AppResponse. */
export function appResponse(chainId: Uint8Array, requestId: bigint, appBytes: Uint8Array): Buffer[] {
  const content = appBytes.length > 0 ? [bytesField(3, appBytes)] : [];
  return [bytesField(1, chainId), varintField(2, requestId), ...content];
}

/** Fields of an AppError. The code is a `sint32`. */
export function appError(chainId: Uint8Array, requestId: bigint, code: number, message: string): Buffer[] {
  const zigzag = code < 0 ? BigInt(-code) * 2n - 1n : BigInt(code) * 2n;
  return [
    bytesField(1, chainId),
    varintField(2, requestId),
    varintField(3, zigzag),
    bytesField(4, Buffer.from(message)),
  ];
}

/** The address of a peer, signed with its TLS key. */
export interface SignedAddress {
  readonly certificate: Uint8Array;
  readonly address: Uint8Array;
  readonly port: number;
  readonly timestamp: bigint;
  readonly signature: Uint8Array;
}

/** Fields of a PeerList. */
export function peerList(addresses: readonly SignedAddress[]): Buffer[] {
  return addresses.map(({ certificate, address, port, timestamp, signature }) =>
    bytesField(
      1,
      Buffer.concat([
        bytesField(1, certificate),
        bytesField(2, address),
        varintField(3, port),
        varintField(4, timestamp),
        bytesField(5, signature),
        bytesField(6, Buffer.alloc(32)),
      ]),
    ),
  );
}

export interface BloomFilter {
  readonly filter: Buffer;
  readonly salt: Buffer;
}

/** The filter in field `number`; null if the message has none. */
export function bloomFilterOf(fields: readonly ProtobufField[], number: number): BloomFilter | null {
  if (!hasField(fields, number)) return null;
  const inner = readFields(bytesOf(fields, number));
  return { filter: bytesOf(inner, 1), salt: bytesOf(inner, 2) };
}

export interface ClientVersion {
  readonly name: string;
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
}

export interface Handshake {
  readonly networkId: bigint;
  readonly timeSeconds: bigint;
  readonly address: Buffer;
  readonly port: bigint;
  readonly signingTimeSeconds: bigint;
  readonly nodeSignature: Buffer;
  readonly trackedSubnets: readonly Buffer[];
  readonly client: ClientVersion | null;
  readonly knownPeers: BloomFilter | null;
  readonly blsSignature: Buffer;
}

/** Reads a Handshake; absent fields are zero, empty or null. Throws `WireError` for fields of another type. */
export function parseHandshake({ fields }: PeerMessage): Handshake {
  return {
    networkId: varintOf(fields, 1),
    timeSeconds: varintOf(fields, 2),
    address: bytesOf(fields, 3),
    port: varintOf(fields, 4),
    signingTimeSeconds: varintOf(fields, 6),
    nodeSignature: bytesOf(fields, 7),
    trackedSubnets: allBytesOf(fields, 8),
    client: clientOf(fields),
    knownPeers: bloomFilterOf(fields, 12),
    blsSignature: bytesOf(fields, 13),
  };
}

function clientOf(fields: readonly ProtobufField[]): ClientVersion | null {
  if (!hasField(fields, 9)) return null;
  const inner = readFields(bytesOf(fields, 9));
  return {
    name: bytesOf(inner, 1).toString("utf8"),
    major: varintOf(inner, 2),
    minor: varintOf(inner, 3),
    patch: varintOf(inner, 4),
  };
}

/** Fields of a Handshake as a node sends it. */
export function handshakeFields(handshake: Handshake): Buffer[] {
  const { client, knownPeers } = handshake;
  return [
    varintField(1, handshake.networkId),
    varintField(2, handshake.timeSeconds),
    bytesField(3, handshake.address),
    varintField(4, handshake.port),
    varintField(6, handshake.signingTimeSeconds),
    bytesField(7, handshake.nodeSignature),
    ...handshake.trackedSubnets.map((subnet) => bytesField(8, subnet)),
    ...(client ? [bytesField(9, encodeClient(client))] : []),
    ...(knownPeers
      ? [bytesField(12, Buffer.concat([bytesField(1, knownPeers.filter), bytesField(2, knownPeers.salt)]))]
      : []),
    bytesField(13, handshake.blsSignature),
  ];
}

function encodeClient({ name, major, minor, patch }: ClientVersion): Buffer {
  return Buffer.concat([
    bytesField(1, Buffer.from(name)),
    varintField(2, major),
    varintField(3, minor),
    varintField(4, patch),
  ]);
}
