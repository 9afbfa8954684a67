import { BadUpstreamData } from "../../../core/errors/errors.ts";
import type { PBlock } from "../../../core/formats/codec/blocks/p-blocks.ts";
import type { XBlock } from "../../../core/formats/codec/blocks/x-blocks.ts";
import {
  type AtomicTransaction,
  decodeAtomicTransactions,
} from "../../../core/formats/codec/transactions/atomic-transactions.ts";
import { decodeNamed } from "../../shared/good-prefix.ts";
import type { Session } from "../../shared/writer.ts";
import type { DecodedBlock, DecodedEntry, DecodedVertex } from "../decode/entries.ts";
import type { RawBlockChain } from "../network/chains.ts";
import type { NetworkFacts } from "../network/network.ts";
import { type AtomicBlock, applyAtomicBlock } from "./atomic.ts";
import { applyPBlock } from "./p-chain/blocks.ts";
import type { PState } from "./p-chain/state.ts";
import { storePState } from "./p-chain/stored-state.ts";
import type { ReplayState } from "./replay-state.ts";
import { stakesReturnedIn } from "./returned-stakes.ts";
import { type Batch, createBatch } from "./store/batch.ts";
import { type PrimaryHead, storeHead } from "./store/heads.ts";
import { loadOwners } from "./store/outputs/created.ts";
import type { ExceptionRow } from "./store/outputs/exceptions.ts";
import { proposerColumns } from "./store/proposer-columns.ts";
import { type IndexedTransactions, loadIndexedTransactions } from "./store/repeated-transactions.ts";
import { storeBatch } from "./store/store-batch.ts";
import { applyVertex, applyXBlock } from "./x-chain.ts";

/** The new head of a chain, and what consensus accepted in the blocks although the rows contradict it. */
export interface Replayed {
  readonly head: PrimaryHead;
  readonly exceptions: readonly ExceptionRow[];
}

/** State to which entries are applied, and batch to which their rows are added. */
interface EntryReplay {
  readonly state: PState;
  readonly batch: Batch;
  readonly network: NetworkFacts;
  readonly indexed: IndexedTransactions;
  /** `tx_seq` of the chain's next transaction. */
  txSeq: number;
}

/**
 * Applies entries of the raw blocks, writes their rows and returns the new head and the exceptions. Throws `BadUpstreamData` if they do not
 * follow the chain's last entry or are invalid.
 */
export async function replayEntries(
  session: Session,
  network: NetworkFacts,
  state: ReplayState,
  chain: RawBlockChain,
  entries: readonly DecodedEntry[],
): Promise<Replayed> {
  const { networkId } = network;
  const batch = createBatch(await loadOwners(session, networkId, [...new Set(stakesReturnedIn(state.p, entries))]));
  const indexed = await loadIndexedTransactions(session, networkId, entries.flatMap(transactionIds));
  let head = state.heads[chain];
  const start = { chain, txSeq: head.txCount };
  const replay: EntryReplay = { state: state.p, batch, network, indexed, txSeq: start.txSeq };
  for (const one of entries) {
    if (one.entry.seq !== head.rawSeq + 1)
      throw new BadUpstreamData(`entry ${one.entry.seq} of chain ${chain} does not follow entry ${head.rawSeq}`);
    head = "vertex" in one ? replayVertex(replay, head, one) : replayBlock(replay, head, state.nodeIds, chain, one);
  }
  await storeBatch(session, network, batch, { start, exceptions: state.exceptions });
  if (chain === "P") await storePState(session, networkId, state.p);
  await storeHead(session, networkId, chain, head);
  return { head, exceptions: batch.exceptions };
}

function transactionIds(one: DecodedEntry): string[] {
  const { transactions } = "vertex" in one ? one.vertex : one.block;
  return transactions.map(({ id }) => id);
}

function replayVertex(replay: EntryReplay, head: PrimaryHead, { entry, vertex }: DecodedVertex): PrimaryHead {
  // Provisional until `VertexTiming` has all that the chains prove. No vertex is later than Cortina.
  const { genesis, upgrades } = replay.network;
  const latest = Math.max(genesis.timestamp, upgrades.cortina);
  const timestamp = Math.min(latest, Math.max(entry.acceptedAt ?? 0, head.blockTimestamp));
  applyVertex(replay, vertex, { index: entry.seq, timestamp });
  return {
    rawSeq: entry.seq,
    blockNumber: -1,
    blockHash: vertex.id,
    containerId: vertex.id,
    blockTimestamp: timestamp,
    txCount: replay.txSeq,
  };
}

function replayBlock(
  replay: EntryReplay,
  head: PrimaryHead,
  nodeIds: ReplayState["nodeIds"],
  chain: RawBlockChain,
  { entry, proposer, block }: DecodedBlock,
): PrimaryHead {
  if (block.height !== head.blockNumber + 1)
    throw new BadUpstreamData(`block ${block.height} of chain ${chain} does not follow block ${head.blockNumber}`);
  if (head.blockNumber >= 0 && block.parentId !== head.blockHash)
    throw new BadUpstreamData(
      `block ${block.height} of chain ${chain} names parent ${block.parentId}, not ${head.blockHash}`,
    );
  const columns = proposerColumns(proposer, nodeIds[chain]);
  nodeIds[chain] = columns.node_id;
  if (chain === "P") applyPBlock(replay, block as PBlock, columns);
  else applyXBlock(replay, block as XBlock, columns);
  return {
    rawSeq: entry.seq,
    blockNumber: block.height,
    blockHash: block.id,
    containerId: proposer?.id ?? block.id,
    blockTimestamp: chain === "P" ? replay.state.timestamp : (block as XBlock).time,
    txCount: replay.txSeq,
  };
}

/**
 * Applies the atomic transactions of C-Chain blocks, writes their rows and returns the new head and the exceptions. Throws like
 * `replayEntries`.
 */
export async function replayAtomicBlocks(
  session: Session,
  network: NetworkFacts,
  { heads, exceptions }: ReplayState,
  blocks: readonly AtomicBlock[],
): Promise<Replayed> {
  const { networkId } = network;
  const decoded = blocks.map((block) => [block, atomicTransactionsOf(block)] as const);
  const txIds = decoded.flatMap(([, transactions]) => transactions.map(({ id }) => id));
  const batch = createBatch(new Map());
  const start = { chain: "C", txSeq: heads.C.txCount } as const;
  const indexed = await loadIndexedTransactions(session, networkId, txIds);
  const replay = { batch, network, indexed, txSeq: start.txSeq };
  let head = heads.C;
  for (const [block, transactions] of decoded) {
    if (block.number <= head.blockNumber)
      throw new BadUpstreamData(`block ${block.number} of the C-Chain does not follow block ${head.blockNumber}`);
    applyAtomicBlock(replay, block, transactions);
    head = {
      rawSeq: block.number,
      blockNumber: block.number,
      blockHash: block.hash,
      containerId: block.hash,
      blockTimestamp: block.timestamp,
      txCount: replay.txSeq,
    };
  }
  await storeBatch(session, network, batch, { start, exceptions });
  await storeHead(session, networkId, "C", head);
  return { head, exceptions: batch.exceptions };
}

function atomicTransactionsOf({ number, hash, extData }: AtomicBlock): readonly AtomicTransaction[] {
  return decodeNamed(
    () => `the extra data of block ${number} of the C-Chain (0x${hash})`,
    () => decodeAtomicTransactions(extData),
  );
}
