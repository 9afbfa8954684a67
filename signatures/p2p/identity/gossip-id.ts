import { hash } from "node:crypto";

const GOSSIP_BYTES = 40;
const NODE_ID_BYTES = 20;

/**
 * The key of an address in filters of known peers: SHA-256 of node id, time of the signature and 12 zero bytes. avalanchego hashes
 * a buffer that is longer than what it writes to it (utils/ips/claimed_ip_port.go).
 */
export function gossipId(nodeId: Uint8Array, timeSeconds: bigint): Uint8Array {
  const bytes = Buffer.alloc(GOSSIP_BYTES);
  bytes.set(nodeId);
  bytes.writeBigUInt64BE(timeSeconds, NODE_ID_BYTES);
  return hash("sha256", bytes, "buffer");
}
