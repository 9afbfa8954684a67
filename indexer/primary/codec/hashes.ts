import { hash } from "node:crypto";
import { ripemd160 } from "@noble/hashes/legacy.js";

/** SHA-256 of the parts one after the other, in hex. */
export function sha256(...parts: Uint8Array[]): string {
  return hash("sha256", parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts), "hex");
}

/** Node id of a staking certificate in DER: RIPEMD-160 of its SHA-256, in hex. */
export function nodeIdOf(certificate: Uint8Array): string {
  return Buffer.from(ripemd160(hash("sha256", certificate, "buffer"))).toString("hex");
}

/** Id of an output: what names it among the outputs of all chains. */
export function utxoId(txId: string, outputIndex: number): string {
  const bytes = Buffer.alloc(8 + 32);
  bytes.writeUInt32BE(outputIndex, 4);
  bytes.write(txId, 8, "hex");
  return hash("sha256", bytes, "hex");
}

/** Id of the validation of the `index`-th validator that a ConvertSubnetToL1Tx names. */
export function conversionValidationId(subnetId: string, index: number): string {
  const bytes = Buffer.alloc(32 + 4);
  bytes.write(subnetId, "hex");
  bytes.writeUInt32BE(index, 32);
  return hash("sha256", bytes, "hex");
}
