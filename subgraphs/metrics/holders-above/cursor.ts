import { createHash } from "node:crypto";
import type { NumberForm } from "../page-tokens/uuid-tokens.ts";

/** A place in the list: an address, and the id of its row in `erc20_holders`. */
export interface Place {
  readonly holderId: number;
  readonly address: string;
}

const DIGEST_BITS = 10;

/**
 * A digest of an address. The id of its row is given in the order of indexing, so after a rollback or a replay, or in another database, it may
 * be that of another address.
 */
export function addressDigest(address: string): number {
  return createHash("sha256").update(address).digest().readUInt16BE() >> (16 - DIGEST_BITS);
}

/** What a cursor tells. */
interface ParsedCursor {
  readonly pinnedBlock: string;
  readonly holderId: number;
  /** Digest of the address. */
  readonly digest: number;
}

/**
 * The text from which the next page begins. All pages of a list have the last indexed block of its first page: it determines the time frame,
 * the addresses of the list, and their order.
 */
export function cursorAfter(pinnedBlock: string, { holderId, address }: Place): string {
  return cursorOf({ pinnedBlock, holderId, digest: addressDigest(address) });
}

const cursorOf = ({ pinnedBlock, holderId, digest }: ParsedCursor): string => `${pinnedBlock} ${holderId} ${digest}`;

/** Reads what `cursorAfter` has written. */
export function parseCursor(cursor: string): ParsedCursor {
  const [pinnedBlock = "", holderId = "", digest = ""] = cursor.split(" ");
  return { pinnedBlock, holderId: Number(holderId), digest: Number(digest) };
}

const NEWER_BITS = 20;
const MOST_NEWER = (1n << BigInt(NEWER_BITS)) - 1n;

/**
 * The pinned block, how many blocks were indexed after it, the id, and the digest of the address. A chain has fewer blocks than
 * `NEWER_BITS` tell in 24 hours.
 */
export const CURSOR_FORM: NumberForm = {
  bits: [31, NEWER_BITS, 31, DIGEST_BITS],
  numbersOf({ cursor, head }) {
    const { pinnedBlock, holderId, digest } = parseCursor(cursor);
    const newer = BigInt(head) - BigInt(pinnedBlock);
    return [BigInt(pinnedBlock), newer < MOST_NEWER ? newer : MOST_NEWER, BigInt(holderId), BigInt(digest)];
  },
  pageOf: ([pinnedBlock = 0n, newer = 0n, holderId = 0n, digest = 0n]) => ({
    cursor: cursorOf({ pinnedBlock: String(pinnedBlock), holderId: Number(holderId), digest: Number(digest) }),
    head: String(pinnedBlock + newer),
  }),
};
