import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import { nodeIdOf } from "../identity/node-id.ts";
import { isStakingCertificate } from "./certificate-rules.ts";
import { converse, type Network } from "./connection.ts";
import type { ValidatorNode } from "./validator-node.ts";

/** A node's port. Disposing it closes the port and every connection. */
export interface Listener extends AsyncDisposable {
  readonly connections: number;
  /** Closes the port and every connection. */
  close(): Promise<void>;
  /** Opens the same port again after `close`. */
  open(): Promise<void>;
}

/** Opens a node's port on 127.0.0.1; a free one that the node keeps. */
export async function startListener(network: Network, node: ValidatorNode): Promise<Listener> {
  const secureContext = contextOf(node);
  /** Open connections by the peer's node id; those in their TLS handshake are in `pending`. */
  const byPeer = new Map<string, TLSSocket>();
  const pending = new Set<Socket>();
  const server = createServer({ noDelay: true }, (raw) => {
    pending.add(raw);
    raw.on("close", () => pending.delete(raw));
    // Not `tls.createServer`: that one cannot refuse a peer without a certificate and accept one that nobody signed.
    const options = { isServer: true, requestCert: true, rejectUnauthorized: true, secureContext };
    const socket = new TLSSocket(raw, options);
    socket.on("error", () => raw.destroy());
    socket.on("secure", () => accept(network, node, socket, byPeer));
  });
  const open = async () => {
    server.listen(node.port, "127.0.0.1");
    await once(server, "listening");
    node.port = (server.address() as AddressInfo).port; // a TCP server that listens has one
  };
  const close = async () => {
    for (const raw of pending) raw.destroy();
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    await closed;
  };
  await open();
  // The port is known and free: nothing listens there.
  if (node.faults.of("refuses-tcp")) await close();
  return {
    get connections() {
      return byPeer.size;
    },
    open,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function contextOf({ identity, faults }: ValidatorNode): SecureContext {
  const version = faults.of("tls-1.2") ? "TLSv1.2" : "TLSv1.3";
  return createSecureContext({
    key: identity.key.export({ type: "pkcs8", format: "pem" }),
    cert: new X509Certificate(identity.certificate).toString(),
    minVersion: version,
    maxVersion: version,
  });
}

function accept(network: Network, node: ValidatorNode, socket: TLSSocket, byPeer: Map<string, TLSSocket>): void {
  const certificate = socket.getPeerX509Certificate()?.raw;
  if (!certificate || !isStakingCertificate(certificate)) {
    node.violations.add("tls-certificate");
    return void socket.destroy();
  }
  const nodeId = nodeIdOf(certificate);
  if (byPeer.has(nodeId)) {
    node.violations.add("duplicate-connection");
    return void socket.destroy();
  }
  byPeer.set(nodeId, socket);
  socket.on("close", () => byPeer.delete(nodeId));
  converse(network, node, socket, { nodeId, certificate });
}
