import { sha256 } from "../bytes/hashes.ts";
import { constant, decode, id, integer, list, oneOf, struct, type ValueOf, versions } from "../bytes/layout.ts";
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

export interface XBlock extends ValueOf<typeof standardBlock> {
  /** SHA-256 of its bytes. */
  readonly id: string;
  /** Length in bytes. */
  readonly size: number;
}

/** Decodes an X-Chain block without its ProposerVM wrapper, as `avm.getBlockByHeight` returns it. Throws `BadUpstreamData`. */
export function decodeXBlock(bytes: Uint8Array): XBlock {
  return { ...decode(layout, bytes, "X-Chain block"), id: sha256(bytes), size: bytes.byteLength };
}
