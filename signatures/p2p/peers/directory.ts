import { formatNodeId } from "../../../core/formats/id-text.ts";
import type { Clock } from "../../clock.ts";
import type { Address } from "../connection/open-socket.ts";
import type { Counts } from "../counts.ts";
import { gossipId } from "../identity/gossip-id.ts";
import { nodeIdOf, parseNodeCertificate } from "../identity/node-certificate.ts";
import { checkAddress, formatIp } from "../identity/signed-address.ts";
import type { BloomFilter } from "../wire/bloom-filter.ts";
import type { ClaimedAddress } from "../wire/peer-list.ts";
import { createKnownPeers } from "./known-peers.ts";
import { isLoopback, isPrivate } from "./private-address.ts";

/** Where an address is from: `info.peers` of our own node, or the configuration. */
export type AddressSource = "node" | "configuration";

/** An address of a node: of `info.peers` of our own node, or of the configuration. */
export interface NodeAddress extends Address {
  /** `NodeID-…` */
  readonly nodeId: string;
}

/** The addresses of nodes. */
export interface Directory {
  /**
   * Sets the address that the source gives for each node. Private addresses from the source `node` are left out unless the
   * options allow them, and its `certificateNodeId` is ignored: only the configuration can name one.
   * Throws if a port is not from 1 to 65535.
   */
  add(source: AddressSource, addresses: readonly NodeAddress[]): void;
  /** Adds addresses of a peer list that are signed by their nodes. Returns the ids of nodes that have a new address. */
  addClaims(claims: readonly ClaimedAddress[]): string[];
  /** The addresses of a node, best first; empty if none is known. */
  addressesOf(nodeId: string): Address[];
  /** A filter of the addresses from peer lists, so that peers send others. */
  knownPeers(): BloomFilter;
}

/** Claims are kept for this many nodes. The primary network has about 1,500 validators. */
const MAX_CLAIMED_NODES = 20_000;
/** Nodes send at most 15 addresses in one peer list. */
const MAX_CLAIMS_PER_LIST = 64;
const MAX_CLOCK_DIFFERENCE_SECONDS = 60;

interface Claim extends Address {
  readonly timeSeconds: bigint;
  /** The key of the claim in filters of known peers. */
  readonly gossipId: Uint8Array;
}

export interface DirectoryOptions {
  readonly allowPrivateAddresses: boolean;
  readonly allowLoopbackAddresses?: boolean | undefined;
  readonly clock: Clock;
  readonly counts: Counts;
}

export function createDirectory(options: DirectoryOptions): Directory {
  const { allowPrivateAddresses, allowLoopbackAddresses = false, clock, counts } = options;
  const given = { node: new Map<string, Address>(), configuration: new Map<string, Address>() };
  const claimed = new Map<string, Claim>();
  const knownPeers = createKnownPeers(clock, () => [...claimed.values()].map((claim) => claim.gossipId));
  const isAllowed = (host: string) =>
    allowPrivateAddresses || !isPrivate(host) || (allowLoopbackAddresses && isLoopback(host));

  /** Returns the node's id if the claim is new, and null otherwise. Throws if the claim is not valid. */
  const addClaim = (claim: ClaimedAddress): string | null => {
    const nodeIdBytes = nodeIdOf(claim.certificate);
    const nodeId = formatNodeId(nodeIdBytes.toString("hex"));
    const known = claimed.get(nodeId);
    if (known ? known.timeSeconds >= claim.timeSeconds : claimed.size >= MAX_CLAIMED_NODES) return null;
    const { publicKey } = parseNodeCertificate(claim.certificate);
    checkAddress(claim, claim.signature, publicKey, clock.unixSeconds() + MAX_CLOCK_DIFFERENCE_SECONDS);
    const { port, timeSeconds } = claim;
    const key = gossipId(nodeIdBytes, timeSeconds);
    claimed.set(nodeId, { host: formatIp(claim.ip), port, timeSeconds, gossipId: key });
    knownPeers.add(key);
    return nodeId;
  };
  return {
    add(source, addresses) {
      for (const { nodeId, host, port, certificateNodeId } of addresses) {
        if (!Number.isInteger(port) || port < 1 || port > 65_535)
          throw new Error(`the port of ${nodeId} must be from 1 to 65535, got ${port}`);
        if (source === "configuration") given.configuration.set(nodeId, { host, port, certificateNodeId });
        else if (isAllowed(host)) given.node.set(nodeId, { host, port });
      }
    },
    addClaims(claims) {
      const added: string[] = [];
      for (const claim of claims.slice(0, MAX_CLAIMS_PER_LIST)) {
        try {
          const nodeId = addClaim(claim);
          if (nodeId) added.push(nodeId);
        } catch {
          counts.refusedAddresses++;
        }
      }
      return added;
    },
    addressesOf(nodeId) {
      const claim = claimed.get(nodeId);
      const configured = given.configuration.get(nodeId);
      // No other address can have this certificate.
      if (configured?.certificateNodeId !== undefined) return [configured];
      const all = [given.node.get(nodeId), configured, claim && isAllowed(claim.host) ? claim : null];
      const found = all.filter((address) => address != null);
      return found.filter(
        ({ host, port }, index) => found.findIndex((other) => other.host === host && other.port === port) === index,
      );
    },
    knownPeers: () => knownPeers.value(),
  };
}
