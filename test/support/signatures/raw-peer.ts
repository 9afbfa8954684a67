import { type KeyObject, sign, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { type ConnectionOptions, connect } from "node:tls";
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import { SecretKey } from "@chainsafe/blst";
import { decompress } from "fzstd";
import { p256Identity } from "../../../signatures/validator-sim/identity/tls-identity.ts";

/** A client that sends whatever bytes a test gives it. It uses other libraries for protobuf and zstd than the simulator. */
export interface RawPeer extends AsyncDisposable {
  /** The next message: its field number, its bytes inside, and whether it was compressed. Null after the end. */
  next(): Promise<RawMessage | null>;
  /** Sends a message behind its length. */
  send(message: Uint8Array): void;
  /** Sends bytes as they are. */
  write(bytes: Uint8Array): void;
  /** The first message of a kind; null if the connection ends before. */
  nextOf(field: number): Promise<RawMessage | null>;
  readonly isClosed: boolean;
  /** Sizes of the frames received so far, also of those that are no message. */
  readonly frameSizes: readonly number[];
}

export interface RawMessage {
  readonly field: number;
  readonly content: Buffer;
  readonly isCompressed: boolean;
  /** The whole message, decompressed. */
  readonly message: Buffer;
}

export const FIELD = {
  ping: 11,
  pong: 12,
  handshake: 13,
  peerList: 14,
  appRequest: 30,
  appResponse: 31,
  appError: 34,
  getPeerList: 35,
};

/** Key and certificate of a client. */
export function clientIdentity(name: string) {
  const { key, certificate, nodeId } = p256Identity("client", name);
  return { key, nodeId, certificate: new X509Certificate(certificate).toString() };
}
export type ClientIdentity = ReturnType<typeof clientIdentity>;

/** Opens a TLS connection. Rejects if the TLS handshake fails. */
export async function connectPeer(
  port: number,
  identity: ClientIdentity | null,
  options: ConnectionOptions = {},
): Promise<RawPeer> {
  const own = identity
    ? { key: identity.key.export({ type: "pkcs8", format: "pem" }), cert: identity.certificate }
    : {};
  const socket = connect({
    port,
    host: "127.0.0.1",
    rejectUnauthorized: false,
    minVersion: "TLSv1.3",
    ...own,
    ...options,
  });
  const queue: RawMessage[] = [];
  let pending = Buffer.alloc(0);
  let failure: Error | undefined;
  const wake: (() => void)[] = [];
  const frameSizes: number[] = [];
  const notify = () => {
    for (const resolve of wake.splice(0)) resolve();
  };
  socket.on("data", (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 4 && pending.length >= 4 + pending.readUInt32BE()) {
      const end = 4 + pending.readUInt32BE();
      frameSizes.push(end - 4);
      const parsed = parse(pending.subarray(4, end));
      if (parsed) queue.push(parsed);
      pending = pending.subarray(end);
    }
    notify();
  });
  socket.on("error", (error) => {
    failure = error;
    notify();
  });
  socket.on("close", notify);
  await once(socket, "secureConnect");
  const next = async (): Promise<RawMessage | null> => {
    while (queue.length === 0 && !socket.closed) await new Promise<void>((resolve) => wake.push(resolve));
    const message = queue.shift();
    if (!message && failure && "code" in failure && /^ERR_SSL/.test(String(failure.code))) throw failure;
    return message ?? null;
  };
  const write = (bytes: Uint8Array) => void socket.write(bytes);
  return {
    next,
    write,
    frameSizes,
    send(message) {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(message.length);
      write(Buffer.concat([length, message]));
    },
    async nextOf(field) {
      for (;;) {
        const message = await next();
        if (!message || message.field === field) return message;
      }
    },
    get isClosed() {
      return socket.destroyed;
    },
    async [Symbol.asyncDispose]() {
      if (socket.closed) return;
      socket.destroy();
      await once(socket, "close");
    },
  };
}

/** Null for bytes that are no message of a known form. */
function parse(message: Buffer): RawMessage | null {
  try {
    const reader = new BinaryReader(message);
    const [field] = reader.tag();
    const content = Buffer.from(reader.bytes());
    if (field !== 2) return { field, content, isCompressed: false, message };
    const inner = Buffer.from(decompress(content));
    const plain = parse(inner);
    return plain && { ...plain, isCompressed: true, message: inner };
  } catch {
    return null;
  }
}

/** A message that has one field with bytes inside. */
export function envelope(field: number, content: Uint8Array): Uint8Array {
  return new BinaryWriter()
    .uint32((field << 3) | 2)
    .bytes(content)
    .finish();
}

/** What a test's Handshake says; each member can be replaced. */
export interface HandshakeFields {
  networkId: number;
  time: number;
  ip: Uint8Array | null;
  port: number;
  upgradeTime: number;
  signingTime: number;
  nodeSignature: Uint8Array | null;
  trackedSubnets: Uint8Array[];
  client: { name: string; version: readonly [number, number, number] } | null;
  supportedAcps: number[];
  objectedAcps: number[];
  knownPeers: { filter: Uint8Array; salt: Uint8Array } | null;
  blsSignature: Uint8Array | null;
  allSubnets: boolean;
}

/** A Handshake that nodes accept, with replaced members. The address is signed after the replacement. */
export function handshake(key: KeyObject, now: number, changes: Partial<HandshakeFields> = {}): Uint8Array {
  const fields: HandshakeFields = {
    networkId: 12_345,
    time: now,
    ip: Buffer.from([127, 0, 0, 1]),
    port: 9_999,
    upgradeTime: 0,
    signingTime: now,
    nodeSignature: Buffer.alloc(0),
    trackedSubnets: [],
    client: { name: "avalanchego", version: [1, 14, 2] },
    supportedAcps: [],
    objectedAcps: [],
    knownPeers: { filter: Buffer.from("01dd38c6a0c617792300", "hex"), salt: Buffer.alloc(32, 7) },
    blsSignature: SecretKey.fromKeygen(Buffer.alloc(32, 1)).sign(Buffer.from("anything")).toBytes(),
    allSubnets: true,
    ...changes,
  };
  if (!("nodeSignature" in changes)) fields.nodeSignature = sign("sha256", signedAddress(fields), key);
  return envelope(FIELD.handshake, encodeHandshake(fields));
}

function signedAddress({ ip, port, signingTime }: HandshakeFields): Buffer {
  const mapped =
    ip?.length === 4 ? Buffer.concat([Buffer.alloc(10), Buffer.from([255, 255]), ip]) : Buffer.from(ip ?? []);
  const rest = Buffer.alloc(10);
  rest.writeUInt16BE(port & 0xffff);
  rest.writeBigUInt64BE(BigInt(signingTime), 2);
  return Buffer.concat([mapped, rest]);
}

function encodeHandshake(fields: HandshakeFields): Uint8Array {
  const writer = new BinaryWriter();
  const bytes = (number: number, value: Uint8Array | null) => value && writer.uint32((number << 3) | 2).bytes(value);
  const varint = (number: number, value: number) => value !== 0 && writer.uint32(number << 3).uint64(value);
  varint(1, fields.networkId);
  varint(2, fields.time);
  bytes(3, fields.ip);
  varint(4, fields.port);
  varint(5, fields.upgradeTime);
  varint(6, fields.signingTime);
  bytes(7, fields.nodeSignature);
  for (const subnet of fields.trackedSubnets) bytes(8, subnet);
  if (fields.client) {
    const [major, minor, patch] = fields.client.version;
    const client = new BinaryWriter().uint32(10).string(fields.client.name);
    client.uint32(16).uint32(major).uint32(24).uint32(minor).uint32(32).uint32(patch);
    bytes(9, client.finish());
  }
  for (const acp of fields.supportedAcps) varint(10, acp);
  for (const acp of fields.objectedAcps) varint(11, acp);
  if (fields.knownPeers) bytes(12, bloomFilter(fields.knownPeers));
  bytes(13, fields.blsSignature);
  varint(14, fields.allSubnets ? 1 : 0);
  return writer.finish();
}

export function bloomFilter({ filter, salt }: { filter: Uint8Array; salt: Uint8Array }): Uint8Array {
  return new BinaryWriter().uint32(10).bytes(filter).uint32(18).bytes(salt).finish();
}

/** An AppRequest. */
export function appRequest(
  chainId: Uint8Array,
  requestId: number,
  deadlineNano: bigint,
  appBytes: Uint8Array,
): Uint8Array {
  const content = new BinaryWriter().uint32(10).bytes(chainId).uint32(16).uint32(requestId);
  return envelope(FIELD.appRequest, content.uint32(24).uint64(deadlineNano).uint32(34).bytes(appBytes).finish());
}

/** The app bytes of a signature request. */
export function signatureRequest(message: Uint8Array, justification: Uint8Array = Buffer.alloc(0)): Buffer {
  const request = new BinaryWriter().uint32(10).bytes(message).uint32(18).bytes(justification).finish();
  return Buffer.concat([Buffer.of(2), request]);
}

/** What an AppResponse or AppError says. */
export interface Reply {
  readonly requestId: number;
  readonly signature?: string;
  readonly errorCode?: number;
}

/** Reads a reply. A response without bytes has no signature. */
export function readReply({ field, content }: RawMessage): Reply {
  const reader = new BinaryReader(content);
  let reply: Reply = { requestId: 0 };
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === 2) reply = { ...reply, requestId: reader.uint32() };
    else if (number === 3 && field === FIELD.appError) reply = { ...reply, errorCode: reader.sint32() };
    else if (number === 3) reply = { ...reply, signature: signatureIn(Buffer.from(reader.bytes())) };
    else reader.skip(wireType);
  }
  return reply;
}

function signatureIn(appBytes: Buffer): string {
  return appBytes[0] === 0x0a ? appBytes.subarray(2).toString("hex") : "";
}

/** Connects and completes the Handshake, so that requests are answered. */
export async function joinedPeer(port: number, now: number, identity = clientIdentity("client")): Promise<RawPeer> {
  const peer = await connectPeer(port, identity);
  peer.send(handshake(identity.key, now));
  if (!(await peer.nextOf(FIELD.peerList))) throw new Error("the node closed the connection");
  peer.send(Buffer.from("7200", "hex"));
  return peer;
}
