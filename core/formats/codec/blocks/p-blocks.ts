import { sha256 } from "../bytes/hashes.ts";
import { constant, decode, id, integer, list, oneOf, struct, versions } from "../bytes/layout.ts";
import { type PTransaction, pTransaction } from "../transactions/p-transactions.ts";

const links = { parentId: id, height: integer };
const time = integer;
const txs = list(pTransaction);

const BLOCKS = {
  0: struct({ blockType: constant("ApricotProposalBlock"), ...links, tx: pTransaction }),
  1: struct({ blockType: constant("ApricotAbortBlock"), ...links }),
  2: struct({ blockType: constant("ApricotCommitBlock"), ...links }),
  3: struct({ blockType: constant("ApricotStandardBlock"), ...links, txs }),
  4: struct({ blockType: constant("ApricotAtomicBlock"), ...links, tx: pTransaction }),
  29: struct({ blockType: constant("BanffProposalBlock"), time, txs, ...links, tx: pTransaction }),
  30: struct({ blockType: constant("BanffAbortBlock"), time, ...links }),
  31: struct({ blockType: constant("BanffCommitBlock"), time, ...links }),
  32: struct({ blockType: constant("BanffStandardBlock"), time, ...links, txs }),
};

const layout = versions({ 0: oneOf(BLOCKS) });

export interface PBlock {
  /** SHA-256 of its bytes. */
  readonly id: string;
  readonly blockType: (typeof BLOCKS)[keyof typeof BLOCKS] extends { read(reader: never): infer Block }
    ? Block extends { readonly blockType: infer Type }
      ? Type
      : never
    : never;
  readonly parentId: string;
  readonly height: number;
  /** Chain time after this block, in seconds. Null before Banff, when only an AdvanceTimeTx changes the chain time. */
  readonly time: number | null;
  /** In the order in which they take effect. In a proposal block the proposed transaction is the last one. */
  readonly transactions: readonly PTransaction[];
  /** Length in bytes. */
  readonly size: number;
}

/**
 * Decodes a P-Chain block without its ProposerVM wrapper, as `platform.getBlockByHeight` returns it. Throws `BadUpstreamData`.
 */
export function decodePBlock(bytes: Uint8Array): PBlock {
  const block = decode(layout, bytes, "P-Chain block");
  const { blockType, parentId, height } = block;
  const decided = "txs" in block ? block.txs : [];
  return {
    id: sha256(bytes),
    blockType,
    parentId,
    height,
    time: "time" in block ? block.time : null,
    transactions: "tx" in block ? [...decided, block.tx] : decided,
    size: bytes.byteLength,
  };
}
