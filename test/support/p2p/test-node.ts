import { createPrivateKey, X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type TLSSocket, type TlsOptions } from "node:tls";
import { createIdentity, type Identity } from "../../../signatures/p2p/identity/identity.ts";
import { encodeHandshake, type Handshake } from "../../../signatures/p2p/wire/handshake.ts";

const LENGTH_BYTES = 4;
/** An empty peer list. */
const PEER_LIST = Buffer.from("7200", "hex");
export const TEST_NETWORK = 12_345;

/** Certificate and key of a node. */
export interface NodeKeys {
  readonly cert: string;
  readonly key: string;
  readonly identity: Identity;
}

/** Reads certificate and private key in PEM form. */
export function parseNodeKeys(pem: string, unixSeconds: number): NodeKeys {
  return {
    cert: new X509Certificate(pem).toString(),
    key: createPrivateKey(pem).export({ type: "pkcs8", format: "pem" }).toString(),
    identity: createIdentity(pem, unixSeconds),
  };
}

/** The node's side of one connection. */
export interface NodeSession {
  /** The next message of the client, without its length. Null when the client has closed the connection. */
  next(): Promise<Buffer | null>;
  send(message: Uint8Array): void;
  /** Sends bytes without a length before them. */
  sendRaw(bytes: Uint8Array): void;
  /** Closes the connection. */
  end(): void;
}

export interface TestNode extends AsyncDisposable {
  readonly nodeId: string;
  readonly host: string;
  readonly port: number;
  /** Connections so far. */
  readonly sessions: number;
  /** Connections now. */
  readonly open: number;
}

/** Starts a TLS server that plays a node: it does what `play` does with each connection. */
export async function startTestNode(
  { cert, key, identity }: NodeKeys,
  play: (session: NodeSession) => Promise<void>,
  options: TlsOptions = {},
): Promise<TestNode> {
  const sockets = new Set<TLSSocket>();
  let sessions = 0;
  const server = createServer({ cert, key, requestCert: true, rejectUnauthorized: false, ...options }, (socket) => {
    sessions++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    play(createSession(socket)).catch((error: unknown) => socket.destroy(error as Error));
  });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    nodeId: identity.nodeId,
    host: "127.0.0.1",
    port: (server.address() as AddressInfo).port,
    get sessions() {
      return sessions;
    },
    get open() {
      return sockets.size;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function createSession(socket: TLSSocket): NodeSession {
  let bytes = Buffer.alloc(0);
  let wake = () => {};
  let isOpen = true;
  socket.on("data", (more) => {
    bytes = Buffer.concat([bytes, more]);
    wake();
  });
  socket.on("close", () => {
    isOpen = false;
    wake();
  });
  const send = (message: Uint8Array) => {
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(message.length);
    socket.write(Buffer.concat([length, message]));
  };
  return {
    send,
    sendRaw: (raw) => socket.write(raw),
    end: () => socket.end(),
    async next() {
      for (;;) {
        const end = bytes.length >= LENGTH_BYTES ? LENGTH_BYTES + bytes.readUInt32BE() : Number.POSITIVE_INFINITY;
        if (bytes.length >= end) {
          const message = bytes.subarray(LENGTH_BYTES, end);
          bytes = bytes.subarray(end);
          return message;
        }
        if (!isOpen) return null;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** A handshake that keeps all rules. */
export function handshakeOf({ address }: Identity, unixSeconds: number): Handshake {
  const { timeSeconds, ...signed } = address;
  return {
    networkId: TEST_NETWORK,
    timeSeconds: BigInt(unixSeconds),
    ...signed,
    upgradeTimeSeconds: 0n,
    signingTimeSeconds: timeSeconds,
    trackedSubnets: [],
    client: { name: "avalanchego", major: 1, minor: 14, patch: 2 },
    knownPeers: null,
    allSubnets: true,
  };
}

/** A message with one field that has bytes. */
export function messageOf(field: number, content: Uint8Array): Buffer {
  return Buffer.concat([varint(field * 8 + 2), varint(content.length), content]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}

/** Exchanges handshakes and peer lists with the client. `changed` are fields that differ from a correct handshake. */
export async function greet(
  session: NodeSession,
  identity: Identity,
  unixSeconds: number,
  changed: Partial<Handshake> = {},
): Promise<void> {
  session.send(messageOf(13, encodeHandshake({ ...handshakeOf(identity, unixSeconds), ...changed })));
  await session.next();
  session.send(PEER_LIST);
  await session.next();
}

/** A request of the client. */
export interface ReceivedRequest {
  readonly chainId: Buffer;
  readonly requestId: number;
}

/** Reads chain id and request id of an AppRequest, whose chain id has 32 bytes. */
export function parseRequest(message: Buffer): ReceivedRequest {
  const start = message.indexOf(Buffer.from("0a20", "hex")) + 2;
  let requestId = 0;
  let at = start + 33;
  for (let factor = 1; ; factor *= 128) {
    const byte = message[at++] ?? 0;
    requestId += (byte & 127) * factor;
    if (byte < 128) break;
  }
  return { chainId: message.subarray(start, start + 32), requestId };
}

/** An AppResponse with these `app_bytes`. */
export function responseTo({ chainId, requestId }: ReceivedRequest, appBytes: Uint8Array): Buffer {
  return messageOf(31, Buffer.concat([...idsOf(chainId, requestId), messageOf(3, appBytes)]));
}

/** An AppError. The code must be from -64 to 63. */
export function errorTo({ chainId, requestId }: ReceivedRequest, code: number, text: string): Buffer {
  const zigzag = code < 0 ? -2 * code - 1 : 2 * code;
  return messageOf(
    34,
    Buffer.concat([...idsOf(chainId, requestId), Buffer.of(0x18, zigzag), messageOf(4, Buffer.from(text))]),
  );
}

function idsOf(chainId: Uint8Array, requestId: number): Buffer[] {
  return [messageOf(1, chainId), Buffer.of(0x10), varint(requestId)];
}
