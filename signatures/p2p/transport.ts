import type { Logger } from "../../core/observability/logger.ts";
import { type Clock, SYSTEM_CLOCK } from "../clock.ts";
import type { ConnectionContext } from "./connection/connection.ts";
import { type Counts, createCounts } from "./counts.ts";
import type { Identity } from "./identity/identity.ts";
import { type AddressSource, createDirectory, type NodeAddress } from "./peers/directory.ts";
import { createPeers } from "./peers/peers.ts";
import { waitForConnections } from "./peers/wait-for-connections.ts";
import { requestSignatures, type SignatureAnswer } from "./request-signatures.ts";
import { TIMINGS, type Timings } from "./timings.ts";
import type { ClientVersion } from "./wire/handshake.ts";

export interface TransportOptions {
  readonly networkId: number;
  readonly identity: Identity;
  /**
   * The version that this client claims to have, read at each handshake. Nodes close connections of clients below their minimum
   * version or with a higher major version, so it is that of our own node (`info.getNodeVersion`).
   */
  readonly clientVersion: () => ClientVersion;
  /** Ids of L1s, 32 bytes each, at most 16. Nodes before November 2024 answer requests about an L1 only if it is listed. */
  readonly trackedSubnets?: readonly Uint8Array[];
  /** Connect to private addresses that our own node or a peer names. Configured addresses are always allowed. */
  readonly allowPrivateAddresses: boolean;
  /** Connect to addresses of this machine that our own node or a peer names. Default: false. */
  readonly allowLoopbackAddresses?: boolean;
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly timings?: Timings;
  readonly random?: () => number;
  /** Id of the first request on each connection, odd. Default: random. */
  readonly firstRequestId?: number;
}

/** Asks validators for signatures over the peer-to-peer protocol of Avalanche (ACP-118). Disposing it closes everything. */
export interface SignatureTransport extends AsyncDisposable {
  /** `NodeID-…` of this client. */
  readonly nodeId: string;
  readonly counts: Readonly<Counts>;
  /** Says where nodes are. Peers tell further addresses, but are asked only if the address of a node is unknown. */
  addAddresses(source: AddressSource, addresses: readonly NodeAddress[]): void;
  /**
   * Connects to the nodes and keeps the connections. Returns the ids of the nodes that are connected: when all are, or when no
   * other node can be connected in time, or when `isEnough` says so, or when the signal is aborted, and at the latest after
   * `deadlineMs` milliseconds.
   */
  ensureConnected(
    nodeIds: readonly string[],
    deadlineMs: number,
    isEnough?: (connected: ReadonlySet<string>) => boolean,
    signal?: AbortSignal,
  ): Promise<{ readonly connected: ReadonlySet<string> }>;
  /** Why a node is not connected, in words; null if it is connected. */
  reasonOf(nodeId: string): string | null;
  /** Calls the listener after each change of connections. Returns a function that stops it. */
  onConnectionChange(listener: () => void): () => void;
  /**
   * Asks each node once for a signature of the message, and yields one answer for each node as it arrives. Nodes that have not
   * answered after `deadlineMs` milliseconds yield a timeout. A caller that stops reading, or aborts the signal, gives up the
   * open requests. Signatures are not verified. `chainId` is the 32 bytes of the message's source chain; the justification may be empty.
   */
  request(
    chainId: Uint8Array,
    nodeIds: readonly string[],
    message: Uint8Array,
    justification: Uint8Array,
    deadlineMs: number,
    signal?: AbortSignal,
  ): AsyncIterable<SignatureAnswer>;
}

const MAX_SUBNETS = 16;

/** Throws if more than 16 subnets are tracked, because nodes would close every connection. */
export function createSignatureTransport(options: TransportOptions): SignatureTransport {
  const { identity, trackedSubnets = [], clock = SYSTEM_CLOCK, timings = TIMINGS, random = Math.random } = options;
  if (trackedSubnets.length > MAX_SUBNETS)
    throw new Error(`at most ${MAX_SUBNETS} subnets can be tracked, got ${trackedSubnets.length}`);
  const counts = createCounts();
  const { allowPrivateAddresses, allowLoopbackAddresses } = options;
  const directory = createDirectory({ allowPrivateAddresses, allowLoopbackAddresses, clock, counts });
  const context: ConnectionContext = {
    networkId: options.networkId,
    identity,
    clientVersion: options.clientVersion,
    trackedSubnets,
    knownPeers: () => directory.knownPeers(),
    clock,
    timings,
    counts,
    firstRequestId: options.firstRequestId,
  };
  const peers = createPeers({ context, directory, logger: options.logger, random });
  return {
    nodeId: identity.nodeId,
    counts,
    addAddresses: (source, addresses) => directory.add(source, addresses),
    async ensureConnected(nodeIds, deadlineMs, isEnough, signal) {
      peers.want(nodeIds);
      return { connected: await waitForConnections({ peers, nodeIds, clock, deadlineMs, isEnough, signal }) };
    },
    reasonOf: (nodeId) => peers.reasonOf(nodeId),
    onConnectionChange: (listener) => peers.onChange(listener),
    request: (chainId, nodeIds, message, justification, deadlineMs, signal) =>
      requestSignatures({ peers, clock, counts }, { chainId, nodeIds, message, justification, deadlineMs, signal }),
    async [Symbol.asyncDispose]() {
      peers.close();
    },
  };
}
