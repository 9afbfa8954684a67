import { createHash } from "node:crypto";
import { decodeCb58, encodeCb58 } from "../../../core/formats/cb58.ts";

const PREFIX = "NodeID-";

/** The node id that belongs to a certificate: ripemd160 of the SHA-256 of its DER form. */
export function nodeIdOf(certificate: Uint8Array): string {
  const digest = createHash("sha256").update(certificate).digest();
  return PREFIX + encodeCb58(createHash("ripemd160").update(digest).digest());
}

/** The 20 bytes of a node id; null if the text is none. */
export function nodeIdBytes(nodeId: string): Uint8Array | null {
  const bytes = nodeId.startsWith(PREFIX) ? decodeCb58(nodeId.slice(PREFIX.length)) : null;
  return bytes?.length === 20 ? bytes : null;
}
