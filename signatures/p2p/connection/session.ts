import type { Clock } from "../../clock.ts";
import type { Counts } from "../counts.ts";
import type { Identity } from "../identity/identity.ts";
import type { NodeCertificate } from "../identity/node-certificate.ts";
import { ProtocolViolation } from "../protocol-violation.ts";
import type { BloomFilter } from "../wire/bloom-filter.ts";
import { type ClientVersion, encodeHandshake, type Handshake } from "../wire/handshake.ts";
import { decodeMessage, EMPTY_PEER_LIST, encodeMessage, type PeerMessage, PONG } from "../wire/messages.ts";
import { type ClaimedAddress, encodeGetPeerList } from "../wire/peer-list.ts";
import { checkHandshake } from "./check-handshake.ts";
import type { PendingRequests } from "./pending-requests.ts";

/** What every session of this client has in common. */
export interface SessionContext {
  readonly networkId: number;
  readonly identity: Identity;
  /** The version of this network's nodes: they close connections of clients that are too old. */
  readonly clientVersion: () => ClientVersion;
  /** At most 16 ids of 32 bytes. */
  readonly trackedSubnets: readonly Uint8Array[];
  /** A filter of the addresses that are known: peers send others. */
  readonly knownPeers: () => BloomFilter;
  readonly clock: Clock;
  readonly counts: Counts;
}

export interface SessionEvents {
  write(message: Uint8Array): void;
  /** The handshake is complete: the node answers requests from now on. */
  onReady(client: ClientVersion | null): void;
  onAddresses(claims: readonly ClaimedAddress[]): void;
}

export interface Session {
  /** Handles a message. Throws `ProtocolViolation` if the connection has to be closed. */
  receive(message: Uint8Array): void;
  /** Asks for addresses. */
  requestAddresses(): void;
}

/**
 * The conversation on one connection, from the handshake on. Both sides send a handshake first, and a peer list as the answer
 * to a valid one. Malformed messages are counted and skipped, as nodes do.
 */
export function startSession(
  context: SessionContext,
  certificate: NodeCertificate,
  pending: PendingRequests,
  events: SessionEvents,
): Session {
  const { clock, counts, networkId } = context;
  let handshake: Handshake | null = null;
  let isReady = false;
  /** Peer lists that were asked for. Others are ignored, so that no peer can make this client verify signatures. */
  let expectedLists = 1;

  const onHandshake = (received: Handshake) => {
    if (handshake) throw new ProtocolViolation("the node sent a second handshake");
    checkHandshake(received, certificate, networkId, clock.unixSeconds());
    handshake = received;
    events.write(EMPTY_PEER_LIST);
  };
  const onPeerList = (claims: readonly ClaimedAddress[]) => {
    if (!handshake) return;
    const isExpected = expectedLists > 0;
    expectedLists = Math.max(0, expectedLists - 1);
    if (!isReady) {
      isReady = true;
      events.onReady(handshake.client);
    }
    if (isExpected) events.onAddresses(claims);
  };
  const settle = (...[requestId, chainId, reply]: Parameters<PendingRequests["settle"]>) => {
    if (!isReady || !pending.settle(requestId, chainId, reply)) counts.unmatchedReplies++;
  };
  const handle = (message: PeerMessage) => {
    switch (message.kind) {
      case "handshake":
        return onHandshake(message.handshake);
      case "peerList":
        return onPeerList(message.claims);
      case "ping":
        return events.write(PONG);
      case "getPeerList":
        return isReady ? events.write(EMPTY_PEER_LIST) : undefined;
      case "appResponse": {
        const { requestId, chainId, bytes } = message.response;
        return settle(requestId, chainId, { kind: "response", bytes });
      }
      case "appError": {
        const { requestId, chainId, code, message: text } = message.error;
        return settle(requestId, chainId, { kind: "error", code, message: text });
      }
    }
  };

  events.write(encodeMessage("handshake", encodeHandshake(createHandshake(context))));
  return {
    receive(bytes) {
      const message = decoded(bytes, counts);
      if (message) handle(message);
    },
    requestAddresses() {
      expectedLists++;
      events.write(encodeMessage("getPeerList", encodeGetPeerList(context.knownPeers())));
    },
  };
}

/** Null if the message is malformed. */
function decoded(bytes: Uint8Array, counts: Counts): PeerMessage | null {
  try {
    return decodeMessage(bytes);
  } catch (error) {
    if (error instanceof ProtocolViolation) throw error;
    counts.malformedMessages++;
    return null;
  }
}

function createHandshake({ networkId, identity, clock, ...context }: SessionContext): Handshake {
  const { timeSeconds: signingTimeSeconds, ...address } = identity.address;
  return {
    networkId,
    timeSeconds: BigInt(clock.unixSeconds()),
    ...address,
    signingTimeSeconds,
    upgradeTimeSeconds: 0n,
    trackedSubnets: context.trackedSubnets,
    client: context.clientVersion(),
    knownPeers: context.knownPeers(),
    allSubnets: true,
  };
}
