import { connect, type TLSSocket } from "node:tls";
import { messageOf } from "../../../core/errors/errors.ts";
import type { Identity } from "../identity/identity.ts";
import { type NodeCertificate, parseNodeCertificate } from "../identity/node-certificate.ts";

/** Where a node accepts connections of peers. */
export interface Address {
  /** IP address or host name. */
  readonly host: string;
  readonly port: number;
  /** Id of the certificate that is accepted there. Default: the node's id. */
  readonly certificateNodeId?: string | undefined;
}

/** Texts of OpenSSL and the system, and what they say about a node. */
const REASONS: readonly (readonly [text: RegExp, reason: string])[] = [
  [/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|WRONG_VERSION_NUMBER/, "it does not speak TLS 1.3"],
  [/ECONNREFUSED/, "nothing accepts connections there"],
  [/ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/, "it cannot be reached"],
  [/ENOTFOUND|EAI_AGAIN/, "the host name cannot be resolved"],
  [/ECONNRESET|EPIPE|socket disconnected/, "it closed the connection"],
];

export interface SocketEvents {
  onOpen(certificate: NodeCertificate): void;
  onBytes(bytes: Buffer): void;
  /** Called at most once. `reason` says in words why the connection could not be opened or has ended. */
  onEnd(reason: string): void;
}

/** Opens a connection with TLS 1.3. `onOpen` compares the node id, and throws if it refuses the certificate. */
export function openSocket({ host, port }: Address, { secureContext }: Identity, events: SocketEvents): TLSSocket {
  const socket = connect({
    host,
    port,
    secureContext,
    // Certificates of nodes are self-signed.
    rejectUnauthorized: false,
  });
  let hasEnded = false;
  const end = (reason: string) => {
    if (hasEnded) return;
    hasEnded = true;
    socket.destroy();
    events.onEnd(reason);
  };
  socket.setNoDelay(true);
  socket.once("secureConnect", () => {
    try {
      events.onOpen(certificateOf(socket));
    } catch (error) {
      end(messageOf(error));
    }
  });
  socket.on("data", (bytes) => events.onBytes(bytes));
  // An alert of TLS and a reset may both come.
  socket.on("error", (error) => end(reasonOf(error)));
  socket.once("end", () => end("the node closed the connection"));
  socket.once("close", () => end("the connection was closed"));
  return socket;
}

function certificateOf(socket: TLSSocket): NodeCertificate {
  // Undefined if the node has closed the connection already.
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) throw new Error("the node closed the connection before its certificate was read");
  return parseNodeCertificate(certificate.raw);
}

function reasonOf(error: Error): string {
  const text = "code" in error ? `${error.code} ${error.message}` : error.message;
  const reason = REASONS.find(([pattern]) => pattern.test(text))?.[1];
  return reason ? `${reason} (${error.message})` : error.message;
}
