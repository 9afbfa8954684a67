import type { NumberForm } from "../page-tokens/uuid-tokens.ts";

/** A place in the list: an address, by the id of its row in `erc20_holders`. */
export interface Place {
  readonly holderId: number;
}

/**
 * The text from which the next page begins. All pages of a list have the last indexed block of its first page: it determines the time frame,
 * the addresses of the list, and their order.
 */
export function cursorAfter(pinnedBlock: string, { holderId }: Place): string {
  return `${pinnedBlock} ${holderId}`;
}

/** Reads what `cursorAfter` has written. */
export function parseCursor(cursor: string): Place & { readonly pinnedBlock: string } {
  const [pinnedBlock = "", holderId = ""] = cursor.split(" ");
  return { pinnedBlock, holderId: Number(holderId) };
}

const NEWER_BITS = 20;
const MOST_NEWER = (1n << BigInt(NEWER_BITS)) - 1n;

/** The pinned block, how many blocks were indexed after it, and the id. A chain has fewer blocks than `NEWER_BITS` tell in 24 hours. */
export const CURSOR_FORM: NumberForm = {
  bits: [31, NEWER_BITS, 31],
  numbersOf({ cursor, head }) {
    const { pinnedBlock, holderId } = parseCursor(cursor);
    const newer = BigInt(head) - BigInt(pinnedBlock);
    return [BigInt(pinnedBlock), newer < MOST_NEWER ? newer : MOST_NEWER, BigInt(holderId)];
  },
  pageOf: ([pinnedBlock = 0n, newer = 0n, holderId = 0n]) => ({
    cursor: cursorAfter(String(pinnedBlock), { holderId: Number(holderId) }),
    head: String(pinnedBlock + newer),
  }),
};
