import type { Socket } from "node:net";
import { messageOf } from "../../../core/errors/errors.ts";
import type { NodeCertificate } from "../identity/node-certificate.ts";
import { ProtocolViolation } from "../protocol-violation.ts";
import type { Timings } from "../timings.ts";
import { encodeAppRequest } from "../wire/app-messages.ts";
import { createFrameReader, encodeFrame } from "../wire/frames.ts";
import type { ClientVersion } from "../wire/handshake.ts";
import { encodeMessage, PING } from "../wire/messages.ts";
import type { ClaimedAddress } from "../wire/peer-list.ts";
import { type KeepAlive, startKeepAlive } from "./keep-alive.ts";
import { type Address, openSocket } from "./open-socket.ts";
import { createPendingRequests, type OnReply } from "./pending-requests.ts";
import { type Session, type SessionContext, startSession } from "./session.ts";

/** A node that takes no bytes is disconnected when this many wait for it. It is twice the largest message. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024;

export interface ConnectionContext extends SessionContext {
  readonly timings: Timings;
  /** Id of the first request on each connection, odd. Default: random. */
  readonly firstRequestId?: number;
}

export interface ConnectionEvents {
  onReady(client: ClientVersion | null): void;
  onAddresses(claims: readonly ClaimedAddress[]): void;
  /** Called exactly once, also if the connection was never open. Pending requests have got their reply before. */
  onClosed(reason: string): void;
}

export interface RequestContent {
  readonly chainId: Uint8Array;
  readonly deadlineMs: number;
  readonly bytes: Uint8Array;
}

/** A connection to one node. It is usable after `onReady`. */
export interface Connection {
  /** Sends a request. Returns a function that forgets it. `onReply` is called at most once, perhaps within this call. */
  request(content: RequestContent, onReply: OnReply): () => void;
  requestAddresses(): void;
  close(reason: string): void;
}

/** Connects to the node and refuses any other node at the address. */
export function openConnection(
  nodeId: string,
  address: Address,
  context: ConnectionContext,
  events: ConnectionEvents,
): Connection {
  const { clock, timings, counts } = context;
  const pending = createPendingRequests(context.firstRequestId);
  const frames = createFrameReader();
  let session: Session | null = null;
  let keepAlive: KeepAlive | null = null;
  let isClosed = false;

  const close = (reason: string) => {
    if (isClosed) return;
    isClosed = true;
    cancelSetup();
    keepAlive?.stop();
    socket.destroy();
    counts.sockets--;
    pending.settleAll({ kind: "closed", reason });
    events.onClosed(reason);
  };
  const write = (message: Uint8Array) => {
    if (isClosed) return;
    socket.write(encodeFrame(message));
    if (socket.writableLength > MAX_UNSENT_BYTES) close("the node does not take messages");
  };
  const onBytes = (bytes: Buffer) => {
    try {
      for (const message of frames.read(bytes)) {
        if (isClosed) return;
        keepAlive?.heard();
        session?.receive(message);
      }
    } catch (error) {
      close(messageOf(error));
    }
  };
  const onOpen = (certificate: NodeCertificate) => {
    if (isClosed) return;
    if (certificate.nodeId !== (address.certificateNodeId ?? nodeId))
      throw new ProtocolViolation(`another node, ${certificate.nodeId}, answers at ${address.host}:${address.port}`);
    const { pingMs, silenceMs } = timings;
    const sendPing = () => write(PING);
    const onSilence = () => close(`no message came for ${silenceMs / 1_000} seconds`);
    keepAlive = startKeepAlive({ clock, pingMs, silenceMs, sendPing, onSilence });
    session = startSession(context, certificate, pending, {
      write,
      onAddresses: events.onAddresses,
      onReady(client) {
        cancelSetup();
        events.onReady(client);
      },
    });
  };

  counts.sockets++;
  const cancelSetup = clock.after(timings.connectMs, () =>
    close(`the handshake was not complete after ${timings.connectMs / 1_000} seconds`),
  );
  const socket: Socket = openSocket(address, context.identity, { onOpen, onBytes, onEnd: close });
  return {
    close,
    request({ chainId, deadlineMs, bytes }, onReply) {
      if (isClosed) {
        onReply({ kind: "closed", reason: "the connection is closed" });
        return () => {};
      }
      const requestId = pending.add(chainId, onReply);
      write(encodeMessage("appRequest", encodeAppRequest({ chainId, requestId, deadlineMs, bytes })));
      return () => pending.remove(requestId);
    },
    requestAddresses: () => session?.requestAddresses(),
  };
}
