import { sha256 } from "../bytes/hashes.ts";
import { constant, decode, id, integer, list, oneOf, type Read, struct, versions } from "../bytes/layout.ts";
import { xTransaction } from "../transactions/x-transactions.ts";

const standardBlock = struct({
  blockType: constant("StandardBlock"),
  parentId: id,
  height: integer,
  time: integer,
  merkleRoot: id,
  transactions: list(xTransaction),
});
const layout = versions({ 0: oneOf({ 20: standardBlock }) });

export interface XBlock extends Read<typeof standardBlock> {
  /** SHA-256 of its bytes. */
  readonly id: string;
  /** Length in bytes. */
  readonly size: number;
}

/** Reads a block of the X-Chain without the proposer's wrapping, as `avm.getBlockByHeight` gives it. */
export function decodeXBlock(bytes: Uint8Array): XBlock {
  return { ...decode(layout, bytes, "X-Chain block"), id: sha256(bytes), size: bytes.byteLength };
}
