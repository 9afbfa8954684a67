import { hash } from "node:crypto";
import { ripemd160 } from "@noble/hashes/legacy.js";
import { cached } from "../../../caches/cached.ts";
import { keccak256 as keccak256Of } from "../../keccak.ts";

/** SHA-256 of the concatenated parts, in hex. */
export function sha256(...parts: Uint8Array[]): string {
  return hash("sha256", parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts), "hex");
}

/** Keccak-256, in hex. */
export function keccak256(bytes: Uint8Array): string {
  return hexOf(keccak256Of(bytes));
}

/** Cache of node ids by the hash of the certificate, because a few nodes propose most blocks. */
const MOST_NODE_IDS = 4_096;
const nodeIdOfHash = cached((hash) => hexOf(ripemd160(Buffer.from(hash, "hex"))), MOST_NODE_IDS);

/** Node id, in hex, of a staking certificate in DER: RIPEMD-160 of its SHA-256. */
export function nodeIdOf(certificate: Uint8Array): string {
  return nodeIdOfHash(sha256(certificate));
}

/** Id of an output, unique among all chains, in hex. */
export function utxoId(txId: string, outputIndex: number): string {
  const bytes = Buffer.alloc(8 + 32);
  bytes.writeUInt32BE(outputIndex, 4);
  bytes.write(txId, 8, "hex");
  return sha256(bytes);
}

/** Validation id of the `index`-th validator of a ConvertSubnetToL1Tx, in hex. */
export function conversionValidationId(subnetId: string, index: number): string {
  const bytes = Buffer.alloc(32 + 4);
  bytes.write(subnetId, "hex");
  bytes.writeUInt32BE(index, 32);
  return sha256(bytes);
}

function hexOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("hex");
}
