/** The blocks that a list covers, and the last indexed block at its first page. All pages of a list have the same values. */
export interface Frame {
  /** The first block of the time frame; if no indexed block is in or after the frame, the one after the last indexed block. */
  readonly firstBlock: string;
  /** The last block of the frame; below `firstBlock` if the frame has no block. */
  readonly lastBlock: string;
  /** The last indexed block when the first page was read. */
  readonly pinnedBlock: string;
}

/** A place in the list: the highest balance up to the pinned block, and the address. */
export interface Place {
  readonly peak: string;
  readonly address: string;
}

/** The text from which the next page begins. */
export function cursorAfter({ firstBlock, lastBlock, pinnedBlock }: Frame, { peak, address }: Place): string {
  return [firstBlock, lastBlock, pinnedBlock, peak, address].join(" ");
}

/** Reads what `cursorAfter` has written. */
export function parseCursor(cursor: string): Frame & Place {
  const [firstBlock = "", lastBlock = "", pinnedBlock = "", peak = "", address = ""] = cursor.split(" ");
  return { firstBlock, lastBlock, pinnedBlock, peak, address };
}
