import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { Session, Writer } from "../../shared/writer.ts";
import { type DecodedEntry, decodeEntries } from "../decode/entries.ts";
import type { RawBlockChain } from "../network/chains.ts";
import type { NetworkFacts } from "../network/network.ts";
import { appendEntries, entriesAfter, type RawBlockEntry } from "../raw-blocks/entries.ts";
import type { AtomicBlock } from "./atomic.ts";
import { type Replayed, replayAtomicBlocks, replayEntries } from "./replay-entries.ts";
import { loadReplayState } from "./replay-state.ts";
import { NO_HEAD, type PrimaryHead } from "./store/heads.ts";
import { createPartitions } from "./store/network-tables.ts";
import { type ExceptionRow, loadExceptions } from "./store/outputs/exceptions.ts";
import { deleteAtomicRows } from "./store/reset-atomic.ts";
import { createVertexTiming } from "./vertex-times/determine.ts";

const PAGE = 500;

export interface ReplayDeps {
  readonly writer: Writer;
  readonly network: NetworkFacts;
  /** False if the atomic transactions of the C-Chain are not indexed. Default: true. */
  readonly withCChain?: boolean;
  readonly signal?: AbortSignal;
  /** Called with each head after its rows are committed, with the exceptions of the new blocks and the number of all of the chain. */
  readonly onHead?: (
    chain: PrimaryChain,
    head: PrimaryHead,
    exceptions: { readonly added: readonly ExceptionRow[]; readonly count: number },
  ) => void;
}

export interface WriteOptions {
  /**
   * True to commit without waiting for the disk. This is faster, but a crash may lose the last transactions. Default: false.
   */
  readonly relaxed?: boolean;
}

/** Computes the rows of a primary network's blocks. Calls for the same chain must not overlap. */
export interface PrimaryReplay {
  readonly heads: Readonly<Record<PrimaryChain, PrimaryHead>>;
  /** Number of exceptions of each chain: what consensus accepted although the rows contradict it. */
  readonly exceptions: Readonly<Record<PrimaryChain, number>>;
  /**
   * Writes entries that follow the chain's last one, and their rows, in one transaction. Rejects with
   * `BadUpstreamData`, and writes nothing, if they are invalid or do not follow the chain's last entry.
   */
  accept(chain: RawBlockChain, entries: readonly RawBlockEntry[], options?: WriteOptions): Promise<void>;
  /** Like `accept`, for entries that are already decoded. */
  acceptDecoded(chain: RawBlockChain, entries: readonly DecodedEntry[], options?: WriteOptions): Promise<void>;
  /** Writes the rows of C-Chain blocks, in order. Blocks without atomic transactions may be left out, except the last one. */
  acceptAtomic(blocks: readonly AtomicBlock[], options?: WriteOptions): Promise<void>;
  /** Notes that all blocks of a chain up to a time, in seconds, are indexed, even if the last of them is older. */
  noteComplete(chain: PrimaryChain, until: number): Promise<void>;
  /** Deletes the rows of the C-Chain's atomic transactions, and moves its head back to before the first block. */
  resetAtomic(): Promise<void>;
}

/** Writes the missing rows of the raw blocks, without a node, and returns the replay at the last entry. */
export async function openReplay(deps: ReplayDeps): Promise<PrimaryReplay> {
  const { writer, network, withCChain = true, signal, onHead } = deps;
  const { networkId } = network;
  await createPartitions(writer, networkId);
  const load = () => writer.transaction((session) => loadReplayState(session, network));
  let state = await load();
  const timing = createVertexTiming(writer, network, withCChain);

  /** A transaction that fails is rolled back in the database; the state in memory is read again. */
  async function write(chain: PrimaryChain, relaxed: boolean, task: (session: Session) => Promise<Replayed>) {
    try {
      const { head, exceptions } = await writer.transaction(task, { relaxed });
      state.heads[chain] = head;
      onHead?.(chain, head, { added: exceptions, count: state.exceptions.counts[chain] });
    } catch (error) {
      state = await load();
      timing.forget();
      throw error;
    }
    await timing.update(state.heads);
  }

  const replay: PrimaryReplay = {
    get heads() {
      return state.heads;
    },
    get exceptions() {
      return state.exceptions.counts;
    },
    async accept(chain, entries, options) {
      await replay.acceptDecoded(chain, await decodeEntries(chain, entries), options);
    },
    async acceptDecoded(chain, decoded, { relaxed = false } = {}) {
      if (decoded.length === 0) return;
      await write(chain, relaxed, async (session) => {
        await appendEntries(
          session,
          networkId,
          chain,
          decoded.map(({ entry }) => entry),
        );
        return replayEntries(session, network, state, chain, decoded);
      });
    },
    acceptAtomic: (blocks, { relaxed = false } = {}) =>
      write("C", relaxed, (session) => replayAtomicBlocks(session, network, state, blocks)),
    async noteComplete(chain, until) {
      timing.noteComplete(chain, until);
      await timing.update(state.heads);
    },
    async resetAtomic() {
      timing.forget();
      await write("C", false, async (session) => {
        await deleteAtomicRows(session, networkId);
        state.exceptions = await loadExceptions(session, networkId);
        return { head: NO_HEAD, exceptions: [] };
      });
      // Another chain's write may have read the deleted row meanwhile.
      timing.forget();
    },
  };

  for (const chain of ["P", "X"] as const)
    for (;;) {
      const { rawSeq } = state.heads[chain];
      const entries = await writer.transaction((session) => entriesAfter(session, networkId, chain, rawSeq, PAGE));
      if (entries.length === 0) break;
      signal?.throwIfAborted();
      const decoded = await decodeEntries(chain, entries);
      await write(chain, true, (session) => replayEntries(session, network, state, chain, decoded));
    }
  await timing.update(state.heads);
  return replay;
}
