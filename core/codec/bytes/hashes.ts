import { hash } from "node:crypto";
import { ripemd160 } from "@noble/hashes/legacy.js";
import { keccak_256 } from "@noble/hashes/sha3.js";

/** SHA-256 of the parts one after the other, in hex. */
export function sha256(...parts: Uint8Array[]): string {
  return hash("sha256", parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts), "hex");
}

/** Ethereum's hash of bytes, in hex. */
export function keccak256(bytes: Uint8Array): string {
  return hexOf(keccak_256(bytes));
}

/** Node ids of certificates met lately, by the hash of the certificate: blocks come from few nodes. */
const nodeIds = new Map<string, string>();
const MOST_NODE_IDS = 4_096;

/** Node id of a staking certificate in DER: RIPEMD-160 of its SHA-256, in hex. */
export function nodeIdOf(certificate: Uint8Array): string {
  const key = sha256(certificate);
  const known = nodeIds.get(key);
  if (known !== undefined) return known;
  const nodeId = hexOf(ripemd160(Buffer.from(key, "hex")));
  if (nodeIds.size >= MOST_NODE_IDS) nodeIds.clear();
  nodeIds.set(key, nodeId);
  return nodeId;
}

/** Id of an output: what names it among the outputs of all chains. */
export function utxoId(txId: string, outputIndex: number): string {
  const bytes = Buffer.alloc(8 + 32);
  bytes.writeUInt32BE(outputIndex, 4);
  bytes.write(txId, 8, "hex");
  return sha256(bytes);
}

/** Id of the validation of the `index`-th validator that a ConvertSubnetToL1Tx names. */
export function conversionValidationId(subnetId: string, index: number): string {
  const bytes = Buffer.alloc(32 + 4);
  bytes.write(subnetId, "hex");
  bytes.writeUInt32BE(index, 32);
  return sha256(bytes);
}

function hexOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("hex");
}
