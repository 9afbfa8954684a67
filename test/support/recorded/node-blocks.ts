import { decodeContainer } from "../../../core/formats/codec/blocks/proposer-blocks.ts";
import { formatId, formatNodeId } from "../../../core/formats/id-text.ts";
import { containersOf, pairsOf, resultsIn } from "./primary-vectors.ts";

/** The expected block of E15 from the node's answers; a P-Chain block before Banff has no time. */
export interface NodeBlock {
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly parentHash: string;
  readonly blockType: string;
  readonly blockTimestamp?: number;
  readonly txCount: number;
  readonly transactions: readonly string[];
  readonly blockSizeBytes: number;
  readonly proposerDetails?: NodeProposer;
}

export interface NodeProposer {
  readonly proposerId: string;
  readonly proposerParentId: string;
  readonly proposerNodeId?: string;
  readonly proposerPChainHeight?: number;
  readonly proposerTimestamp?: number;
}

const INDEX = { P: "index-p-block", X: "index-x-block", C: "index-c-block" } as const;

/** The blocks of a chain by height; those of C without the genesis, which is not in the index. */
export function nodeBlocks(folder: string, chain: "P" | "X" | "C"): NodeBlock[] {
  const plain = chain === "C" ? evmBlocks(folder) : avalancheBlocks(folder, chain);
  const containers = containersOf(folder, INDEX[chain]);
  let last: string | undefined;
  const blocks = plain.map((block): NodeBlock => {
    const container = containers[Number(block.blockNumber) - 1];
    const proposer = container && decodeContainer(container.bytes).proposer;
    const isOption = proposer?.proposal === null;
    // A commit or abort block counts for its parent's proposer.
    if (!isOption) last = proposer?.proposal?.nodeId ? formatNodeId(proposer.proposal.nodeId) : undefined;
    if (!container || !proposer) return block;
    const proposerDetails = {
      proposerId: container.id,
      proposerParentId: formatId(proposer.parentId),
      ...(last !== undefined && { proposerNodeId: last }),
      ...(proposer.proposal && {
        proposerPChainHeight: proposer.proposal.pChainHeight,
        proposerTimestamp: proposer.proposal.timestamp,
      }),
    };
    return { ...block, proposerDetails };
  });
  return chain === "C" ? blocks.slice(1) : blocks;
}

const TYPES: Readonly<Record<number, string>> = {
  0: "ApricotProposalBlock",
  1: "ApricotAbortBlock",
  2: "ApricotCommitBlock",
  3: "ApricotStandardBlock",
  4: "ApricotAtomicBlock",
  20: "StandardBlock",
  29: "BanffProposalBlock",
  30: "BanffAbortBlock",
  31: "BanffCommitBlock",
  32: "BanffStandardBlock",
};

interface BlockJson {
  readonly id: string;
  readonly parentID: string;
  readonly height: string;
  readonly time?: string;
  readonly txs?: readonly { readonly id: string }[] | null;
  readonly tx?: { readonly id: string };
}

function avalancheBlocks(folder: string, chain: "P" | "X"): NodeBlock[] {
  const [file, method] =
    chain === "P" ? ["p-blocks", "platform.getBlockByHeight"] : ["x-blocks", "avm.getBlockByHeight"];
  return pairsOf(folder, file as string, method as string, "block")
    .map(({ bytes, json }) => {
      const { id, parentID, height, time, txs, tx } = json as BlockJson;
      const transactions = [...(txs ?? []), tx ?? []].flat().map((one) => one.id);
      return {
        blockNumber: height,
        blockHash: id,
        parentHash: parentID,
        blockType: TYPES[Buffer.from(bytes).readUInt32BE(2)] ?? "",
        ...(time !== undefined && { blockTimestamp: Number(time) }),
        txCount: transactions.length,
        transactions,
        blockSizeBytes: bytes.byteLength,
      };
    })
    .sort((one, other) => Number(one.blockNumber) - Number(other.blockNumber));
}

interface EvmBlockJson {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly size: string;
  readonly transactions: readonly { readonly hash: string }[];
}

function evmBlocks(folder: string): NodeBlock[] {
  const blocks = new Map<number, NodeBlock>();
  for (const { params, text } of resultsIn(folder, "c-blocks", "eth_getBlockByNumber")) {
    if (!Array.isArray(params) || params[1] !== true) continue;
    const block = JSON.parse(text) as EvmBlockJson;
    const transactions = block.transactions.map(({ hash }) => hash);
    blocks.set(Number(block.number), {
      blockNumber: String(Number(block.number)),
      blockHash: block.hash,
      parentHash: block.parentHash,
      blockType: "EvmBlock",
      blockTimestamp: Number(block.timestamp),
      txCount: transactions.length,
      transactions,
      blockSizeBytes: Number(block.size),
    });
  }
  return [...blocks.values()].sort((one, other) => Number(one.blockNumber) - Number(other.blockNumber));
}

/** The expected vertex of E19, from the node's index and its transactions. */
export interface NodeVertex {
  readonly vertexHash: string;
  readonly vertexIndex: number;
  readonly vertexTimestamp: number;
  readonly vertexSizeBytes: number;
}

/** The vertices of the X-Chain in the order of acceptance. */
export function nodeVertices(folder: string): NodeVertex[] {
  const stamps = resultsIn(folder, "index-x-vtx", "index.getContainerByIndex").map(
    ({ text }) => JSON.parse(text) as { timestamp: string },
  );
  return containersOf(folder, "index-x-vtx").map(({ id, bytes }, vertexIndex) => ({
    vertexHash: id,
    vertexIndex,
    vertexSizeBytes: bytes.byteLength,
    vertexTimestamp: Math.floor(Date.parse(stamps[vertexIndex]?.timestamp ?? "") / 1_000),
  }));
}
