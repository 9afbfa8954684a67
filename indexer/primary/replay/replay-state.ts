import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { Session } from "../../shared/writer.ts";
import { decodeBlock } from "../decode/entries.ts";
import type { RawBlockChain } from "../network/chains.ts";
import type { NetworkFacts } from "../network/network.ts";
import { entriesAfter } from "../raw-blocks/entries.ts";
import { applyPGenesis } from "./p-chain/genesis.ts";
import type { Proposal, PState } from "./p-chain/state.ts";
import { loadPState, storePState } from "./p-chain/stored-state.ts";
import { createBatch } from "./store/batch.ts";
import { loadHeads, NO_HEAD, type PrimaryHead, storeHead } from "./store/heads.ts";
import { clearRows } from "./store/network-tables.ts";
import { loadExceptions, NO_EXCEPTIONS, type StoredExceptions } from "./store/outputs/exceptions.ts";
import { storeBatch } from "./store/store-batch.ts";
import { applyXGenesis } from "./x-chain.ts";

/** State to which the next block of a primary network is applied. */
export interface ReplayState {
  heads: Record<PrimaryChain, PrimaryHead>;
  readonly p: PState;
  /** Node id of the proposer of the last block of P and X. It also counts as the proposer of a commit or abort block that follows. */
  nodeIds: Record<RawBlockChain, string | null>;
  exceptions: StoredExceptions;
}

/**
 * Reads the state from the database. If there are no rows, or rows of another version, first deletes all rows of the network and
 * writes those of the genesis.
 */
export async function loadReplayState(session: Session, network: NetworkFacts): Promise<ReplayState> {
  const { networkId } = network;
  const heads = await loadHeads(session, networkId);
  const p = heads && (await loadPState(session, networkId));
  if (!heads || !p) return writeGenesis(session, network);
  const nodeIds = { P: await lastNodeId(session, networkId, "P"), X: await lastNodeId(session, networkId, "X") };
  p.proposal = await loadProposal(session, networkId, heads.P);
  return { heads, p, nodeIds, exceptions: await loadExceptions(session, networkId) };
}

async function writeGenesis(session: Session, network: NetworkFacts): Promise<ReplayState> {
  const { networkId } = network;
  await clearRows(session, networkId);
  const batch = createBatch(new Map());
  const p = applyPGenesis(batch, network);
  applyXGenesis({ batch, network });
  const exceptions = { counts: { ...NO_EXCEPTIONS }, missing: new Set<string>() };
  await storeBatch(session, network, batch, { start: { chain: "P", txSeq: 0 }, exceptions });
  await storePState(session, networkId, p);
  await storeHead(session, networkId, "P", NO_HEAD);
  return { heads: { P: NO_HEAD, X: NO_HEAD, C: NO_HEAD }, p, nodeIds: { P: null, X: null }, exceptions };
}

async function lastNodeId(session: Session, networkId: number, chain: RawBlockChain): Promise<string | null> {
  const [row] = await session.query<{ node_id: Buffer | null }>(
    "SELECT node_id FROM primary_blocks WHERE network_id = $1 AND chain = $2 ORDER BY block_number DESC LIMIT 1",
    [networkId, chain],
  );
  return row?.node_id?.toString("hex") ?? null;
}

/** The proposal that the next block decides on; null if the last block is not a proposal block. */
async function loadProposal(session: Session, networkId: number, head: PrimaryHead): Promise<Proposal | null> {
  const [entry] = await entriesAfter(session, networkId, "P", head.rawSeq - 1, 1);
  if (!entry || head.rawSeq < 0) return null;
  const { block } = decodeBlock("P", entry);
  const tx = block.transactions.at(-1);
  if (!block.blockType.endsWith("ProposalBlock") || !tx) return null;
  const txSeq = head.txCount - 1;
  const rows = await session.query(
    "SELECT FROM primary_transactions WHERE network_id = $1 AND chain = 'P' AND tx_seq = $2",
    [networkId, txSeq],
  );
  return { tx, txSeq, blockNumber: block.height, isRepeated: rows.length === 0 };
}
