import type { PBlock } from "../../../core/codec/blocks/p-blocks.ts";
import { decodePBlock } from "../../../core/codec/blocks/p-blocks.ts";
import { decodeContainer, type ProposerBlock } from "../../../core/codec/blocks/proposer-blocks.ts";
import { decodeVertex, type Vertex } from "../../../core/codec/blocks/vertices.ts";
import { decodeXBlock, type XBlock } from "../../../core/codec/blocks/x-blocks.ts";
import { utxoId } from "../../../core/codec/bytes/hashes.ts";
import { decodeAtomicTransactions } from "../../../core/codec/transactions/atomic-transactions.ts";
import { BadUpstreamData } from "../../../core/errors.ts";
import type { Session, Writer } from "../../shared/writer.ts";
import type { PrimaryChain } from "../network/chains.ts";
import type { NetworkFacts } from "../network/network.ts";
import { appendEntries, entriesAfter, type JournalChain, type JournalEntry } from "../raw-store/journal.ts";
import { type AtomicBlock, applyAtomicBlock } from "./atomic.ts";
import { applyPBlock } from "./p-chain/blocks.ts";
import { applyPGenesis } from "./p-chain/genesis.ts";
import { stakedIds } from "./p-chain/payout.ts";
import { isRewarding } from "./p-chain/stakers.ts";
import type { Proposal, PState } from "./p-chain/state.ts";
import { type Batch, createBatch } from "./store/batch.ts";
import { proposerColumns } from "./store/proposer-columns.ts";
import {
  clearRows,
  createPartitions,
  loadHeads,
  loadKnown,
  loadOwners,
  loadPState,
  NO_HEAD,
  type PrimaryHead,
  storeBatch,
  storeHead,
  storePState,
} from "./store/store.ts";
import { applyVertex, applyXBlock, applyXGenesis } from "./x-chain.ts";

const PAGE = 500;

export interface ReplayDeps {
  readonly writer: Writer;
  readonly network: NetworkFacts;
  readonly signal?: AbortSignal;
  /** Told of each head that the rows have reached. */
  readonly onHead?: (chain: PrimaryChain, head: PrimaryHead) => void;
}

/** The one that turns blocks of a primary network into rows. */
export interface PrimaryReplay {
  readonly heads: Readonly<Record<PrimaryChain, PrimaryHead>>;
  /**
   * Writes entries that follow the chain's last one, and their rows, in one transaction. Rejects with `BadUpstreamData`,
   * leaving nothing, when they cannot be this chain's.
   */
  accept(
    chain: JournalChain,
    entries: readonly JournalEntry[],
    options?: { readonly relaxed?: boolean },
  ): Promise<void>;
  /** The same for blocks of the C-Chain in their order; those without atomic transactions may be left out but for the last. */
  acceptAtomic(blocks: readonly AtomicBlock[], options?: { readonly relaxed?: boolean }): Promise<void>;
}

interface Loaded {
  heads: Record<PrimaryChain, PrimaryHead>;
  state: PState;
  /** Who proposed the last block of P or X: a commit or abort after it counts as theirs. */
  nodeIds: Record<JournalChain, string | null>;
}

/** Brings the rows up to the end of the journal, without the node, and goes on from there. */
export async function openReplay({ writer, network, signal, onHead }: ReplayDeps): Promise<PrimaryReplay> {
  const { networkId } = network;
  await createPartitions(writer, networkId);
  let loaded = await writer.transaction((session) => load(session, network));

  /** What failed left nothing in the database, but something in memory. */
  async function attempt<Result>(task: () => Promise<Result>): Promise<Result> {
    try {
      return await task();
    } catch (error) {
      loaded = await writer.transaction((session) => load(session, network));
      throw error;
    }
  }

  const write = (chain: JournalChain, entries: readonly JournalEntry[], isNew: boolean, relaxed: boolean) =>
    attempt(async () => {
      const decoded = entries.map((entry) => decodeEntry(chain, entry));
      const head = await writer.transaction(
        async (session) => {
          if (isNew) await appendEntries(session, networkId, chain, entries);
          return replayEntries(session, network, loaded, chain, decoded);
        },
        { relaxed },
      );
      loaded.heads[chain] = head;
      onHead?.(chain, head);
    });

  for (const chain of ["P", "X"] as const)
    for (;;) {
      const { journalSeq } = loaded.heads[chain];
      const entries = await writer.transaction((session) => entriesAfter(session, networkId, chain, journalSeq, PAGE));
      if (entries.length === 0) break;
      signal?.throwIfAborted();
      await write(chain, entries, false, true);
    }

  return {
    get heads() {
      return loaded.heads;
    },
    accept: async (chain, entries, { relaxed = false } = {}) => {
      if (entries.length > 0) await write(chain, entries, true, relaxed);
    },
    acceptAtomic: (blocks, { relaxed = false } = {}) =>
      attempt(async () => {
        const head = await writer.transaction((session) => replayAtomic(session, network, loaded, blocks), { relaxed });
        loaded.heads.C = head;
        onHead?.("C", head);
      }),
  };
}

/** State and heads as the database has them; those of the genesis where it has none. */
async function load(session: Session, network: NetworkFacts): Promise<Loaded> {
  const { networkId } = network;
  const heads = await loadHeads(session, networkId);
  const state = heads && (await loadPState(session, networkId));
  if (!heads || !state) return begin(session, network);
  const nodeIds = { P: await lastNodeId(session, networkId, "P"), X: await lastNodeId(session, networkId, "X") };
  state.proposal = await loadProposal(session, networkId, heads.P);
  return { heads, state, nodeIds };
}

async function begin(session: Session, network: NetworkFacts): Promise<Loaded> {
  const { networkId } = network;
  await clearRows(session, networkId);
  const batch = createBatch(new Map());
  const state = applyPGenesis(batch, network);
  applyXGenesis({ batch, network, txSeq: 0 });
  await storeBatch(session, networkId, batch);
  await storePState(session, networkId, state);
  await storeHead(session, networkId, "P", NO_HEAD);
  return { heads: { P: NO_HEAD, X: NO_HEAD, C: NO_HEAD }, state, nodeIds: { P: null, X: null } };
}

async function lastNodeId(session: Session, networkId: number, chain: JournalChain): Promise<string | null> {
  const [row] = await session.query<{ node_id: Buffer | null }>(
    "SELECT node_id FROM primary_blocks WHERE network_id = $1 AND chain = $2 ORDER BY block_number DESC LIMIT 1",
    [networkId, chain],
  );
  return row?.node_id?.toString("hex") ?? null;
}

/** The proposal that the next block decides on, when the last block is one. */
async function loadProposal(session: Session, networkId: number, head: PrimaryHead): Promise<Proposal | null> {
  const [entry] = await entriesAfter(session, networkId, "P", head.journalSeq - 1, 1);
  if (!entry || head.journalSeq < 0) return null;
  const { block } = decodeEntry("P", entry) as DecodedP;
  const tx = block.transactions.at(-1);
  if (!block.blockType.endsWith("ProposalBlock") || !tx) return null;
  return { tx, txSeq: head.txCount - 1, blockNumber: block.height };
}

interface DecodedP {
  readonly entry: JournalEntry;
  readonly proposer: ProposerBlock | null;
  readonly block: PBlock;
}

interface DecodedX {
  readonly entry: JournalEntry;
  readonly proposer: ProposerBlock | null;
  readonly block: XBlock;
}

interface DecodedVertex {
  readonly entry: JournalEntry;
  readonly vertex: Vertex;
}

type Decoded = DecodedP | DecodedX | DecodedVertex;

function decodeEntry(chain: JournalChain, entry: JournalEntry): Decoded {
  const { payload, isVertex } = entry;
  if (isVertex) return { entry, vertex: decodeVertex(payload) };
  const { proposer, block } = decodeContainer(payload);
  return chain === "P"
    ? { entry, proposer, block: decodePBlock(block) }
    : { entry, proposer, block: decodeXBlock(block) };
}

const transactionsOf = (one: Decoded) => ("vertex" in one ? one.vertex.transactions : one.block.transactions);

/** Outputs that these blocks spend or give back, as far as earlier blocks may have made them. */
function* spentIn({ state }: Pick<Loaded, "state">, decoded: readonly Decoded[]): Generator<string> {
  const proposed: readonly AnyInputs[] = state.proposal ? [state.proposal.tx] : [];
  for (const tx of [...proposed, ...decoded.flatMap((one): readonly AnyInputs[] => transactionsOf(one))]) {
    yield* inputsOf(tx);
    const staker = isRewarding(tx) && tx.txId ? state.stakers.get(tx.txId) : undefined;
    if (staker) yield* stakedIds(staker);
  }
}

function* inputsOf(tx: AnyInputs): Generator<string> {
  const operated = tx.operations?.flatMap(({ inputIds }) => inputIds) ?? [];
  for (const { txId, outputIndex } of [...(tx.inputs ?? []), ...(tx.importedInputs ?? []), ...operated])
    yield utxoId(txId, outputIndex);
}

interface SpentOutput {
  readonly txId: string;
  readonly outputIndex: number;
}

interface AnyInputs {
  readonly txType: string;
  readonly txId?: string;
  readonly inputs?: readonly SpentOutput[];
  readonly importedInputs?: readonly SpentOutput[];
  readonly operations?: readonly { readonly inputIds: readonly SpentOutput[] }[];
}

async function replayEntries(
  session: Session,
  network: NetworkFacts,
  loaded: Loaded,
  chain: JournalChain,
  decoded: readonly Decoded[],
): Promise<PrimaryHead> {
  const { networkId } = network;
  const batch = createBatch(await loadOwners(session, networkId, [...new Set(spentIn(loaded, decoded))]));
  const vertices = decoded.flatMap((one) => ("vertex" in one ? one.vertex.transactions : []));
  const known =
    vertices.length > 0
      ? await loadKnown(
          session,
          networkId,
          vertices.map(({ id }) => id),
        )
      : new Set<string>();
  let head = loaded.heads[chain];
  const at = { state: loaded.state, batch, network, txSeq: head.txCount };
  for (const one of decoded) {
    if (one.entry.seq !== head.journalSeq + 1)
      throw new BadUpstreamData(`entry ${one.entry.seq} of chain ${chain} does not follow entry ${head.journalSeq}`);
    head = "vertex" in one ? replayVertex(at, head, one, known) : replayBlock(at, head, loaded, chain, one);
  }
  await storeBatch(session, networkId, batch);
  if (chain === "P") await storePState(session, networkId, loaded.state);
  await storeHead(session, networkId, chain, head);
  return head;
}

interface Replaying {
  readonly state: PState;
  readonly batch: Batch;
  readonly network: NetworkFacts;
  txSeq: number;
}

function replayVertex(
  at: Replaying,
  head: PrimaryHead,
  { entry, vertex }: DecodedVertex,
  known: Set<string>,
): PrimaryHead {
  // A node that bootstraps accepts in another order than its clock may say.
  const timestamp = Math.max(entry.acceptedAt ?? 0, head.blockTimestamp);
  applyVertex(at, vertex, { index: entry.seq, timestamp, isKnown: (txId) => known.has(txId) });
  for (const { id } of vertex.transactions) known.add(id);
  return {
    journalSeq: entry.seq,
    blockNumber: -1,
    blockHash: vertex.id,
    containerId: vertex.id,
    blockTimestamp: timestamp,
    txCount: at.txSeq,
  };
}

function replayBlock(
  at: Replaying,
  head: PrimaryHead,
  { nodeIds }: Loaded,
  chain: JournalChain,
  { entry, proposer, block }: DecodedP | DecodedX,
): PrimaryHead {
  if (block.height !== head.blockNumber + 1)
    throw new BadUpstreamData(`block ${block.height} of chain ${chain} does not follow block ${head.blockNumber}`);
  if (head.blockNumber >= 0 && block.parentId !== head.blockHash)
    throw new BadUpstreamData(
      `block ${block.height} of chain ${chain} names parent ${block.parentId}, not ${head.blockHash}`,
    );
  const columns = proposerColumns(proposer, nodeIds[chain]);
  nodeIds[chain] = columns.node_id;
  if (chain === "P") applyPBlock(at, block as PBlock, columns);
  else applyXBlock(at, block as XBlock, columns);
  return {
    journalSeq: entry.seq,
    blockNumber: block.height,
    blockHash: block.id,
    containerId: proposer?.id ?? block.id,
    blockTimestamp: chain === "P" ? at.state.timestamp : Math.max((block as XBlock).time, head.blockTimestamp),
    txCount: at.txSeq,
  };
}

async function replayAtomic(
  session: Session,
  network: NetworkFacts,
  { heads }: Loaded,
  blocks: readonly AtomicBlock[],
): Promise<PrimaryHead> {
  const { networkId } = network;
  const decoded = blocks.map((block) => [block, decodeAtomicTransactions(block.extData)] as const);
  const spent = decoded.flatMap(([, transactions]) => transactions.flatMap((tx) => [...inputsOf(tx)]));
  const batch = createBatch(await loadOwners(session, networkId, spent));
  const at = { batch, network, txSeq: heads.C.txCount };
  let head = heads.C;
  for (const [block, transactions] of decoded) {
    if (block.number <= head.blockNumber)
      throw new BadUpstreamData(`block ${block.number} of the C-Chain does not follow block ${head.blockNumber}`);
    applyAtomicBlock(at, block, transactions);
    head = {
      journalSeq: block.number,
      blockNumber: block.number,
      blockHash: block.hash,
      containerId: block.hash,
      blockTimestamp: block.timestamp,
      txCount: at.txSeq,
    };
  }
  await storeBatch(session, networkId, batch);
  await storeHead(session, networkId, "C", head);
  return head;
}
