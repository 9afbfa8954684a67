import { type KeyObject, verify } from "node:crypto";
import { ProtocolViolation } from "../protocol-violation.ts";

const IPV4_IN_IPV6 = Buffer.from("00000000000000000000ffff", "hex");
const ADDRESS_BYTES = 26;

/** An address as handshakes and peer lists contain it. */
export interface ClaimedIp {
  /** 4 or 16 bytes. */
  readonly ip: Uint8Array;
  readonly port: number;
  readonly timeSeconds: bigint;
}

/** The bytes that a node signs: IP address (16 bytes), port (2 bytes), time (8 bytes). */
export function addressBytes({ ip, port, timeSeconds }: ClaimedIp): Buffer {
  const bytes = Buffer.alloc(ADDRESS_BYTES);
  bytes.set(ip.length === 4 ? Buffer.concat([IPV4_IN_IPV6, ip]) : ip);
  bytes.writeUInt16BE(port, 16);
  bytes.writeBigUInt64BE(timeSeconds, 18);
  return bytes;
}

/** Text of an IP address of 4 or 16 bytes. */
export function formatIp(ip: Uint8Array): string {
  const bytes = Buffer.from(ip);
  if (bytes.length === 4) return bytes.join(".");
  if (bytes.subarray(0, 12).equals(IPV4_IN_IPV6)) return bytes.subarray(12).join(".");
  return (bytes.toString("hex").match(/.{4}/g) ?? []).join(":");
}

/**
 * Checks an address that a node claims: its form, its time, which is at most `latestSeconds`, and its signature by the key of
 * the node's certificate. Throws `ProtocolViolation` with the reason.
 */
export function checkAddress(claim: ClaimedIp, signature: Uint8Array, key: KeyObject, latestSeconds: number): void {
  const { ip, port, timeSeconds } = claim;
  if (ip.length !== 4 && ip.length !== 16)
    throw new ProtocolViolation(`the address of the node has ${ip.length} bytes instead of 4 or 16`);
  if (port < 1 || port > 65_535) throw new ProtocolViolation(`the port of the node is ${port}`);
  if (timeSeconds > BigInt(latestSeconds))
    throw new ProtocolViolation(`the address of the node was signed in the future, at ${timeSeconds}`);
  if (!isSignatureValid(addressBytes(claim), signature, key))
    throw new ProtocolViolation("the signature of the node's address is not valid");
}

function isSignatureValid(bytes: Uint8Array, signature: Uint8Array, key: KeyObject): boolean {
  try {
    return verify("sha256", bytes, key, signature);
  } catch {
    return false;
  }
}
