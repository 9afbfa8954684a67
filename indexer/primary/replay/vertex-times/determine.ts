import { PRIMARY_CHAINS, type PrimaryChain } from "../../../../core/networks/primary-chains.ts";
import type { Writer } from "../../../shared/writer.ts";
import type { NetworkFacts } from "../../network/network.ts";
import type { PrimaryHead } from "../store/heads.ts";
import { timesOf } from "./bounds.ts";
import { loadVertexFacts } from "./load-facts.ts";
import { storeVertexTimes } from "./store-times.ts";

type Heads = Readonly<Record<PrimaryChain, PrimaryHead>>;

/** Determines the times of a network's vertices as soon as every chain is indexed up to the time of X-Chain block 0. */
export interface VertexTiming {
  /** Notes that all blocks of a chain up to a time, in seconds, are indexed. */
  noteComplete(chain: PrimaryChain, until: number): void;
  /** Determines the times if this was not done with the rows of all chains, and now is possible. */
  update(heads: Heads): Promise<void>;
  /** Forgets what was noted, and reads again what the database contains: rows of a chain were deleted, or a transaction failed. */
  forget(): void;
}

interface Stored {
  readonly firstBlockTime: number;
  /** Null: the times are provisional. */
  readonly includesCChain: boolean | null;
}

const STORED = `SELECT b.block_timestamp AS "firstBlockTime", t.includes_c_chain AS "includesCChain"
  FROM primary_blocks b LEFT JOIN x_chain_vertex_times t ON t.network_id = $1
  WHERE b.network_id = $1 AND b.chain = 'X' AND b.block_number = 0`;

const NOTHING = { P: 0, X: 0, C: 0 } as const;

/** Times that were determined without the C-Chain are provisional once the C-Chain is indexed. */
const DELETE_WITHOUT_C = "DELETE FROM x_chain_vertex_times WHERE network_id = $1 AND NOT includes_c_chain";

/**
 * The rows of the other chains bound the times, and all chains are indexed in parallel. So the times are computed once, from all
 * rows: they do not depend on the order in which the rows were written. `withCChain` is false if the C-Chain is not indexed.
 */
export function createVertexTiming(
  writer: Pick<Writer, "transaction">,
  network: Pick<NetworkFacts, "networkId" | "genesis" | "avaxAssetId">,
  withCChain: boolean,
): VertexTiming {
  const { networkId } = network;
  let completeUntil: Readonly<Record<PrimaryChain, number>> = NOTHING;
  let stored: Stored | null = null;

  async function loadStored(): Promise<Stored | null> {
    const [row] = await writer.transaction(async (session) => {
      if (withCChain) await session.query(DELETE_WITHOUT_C, [networkId]);
      return session.query<{ firstBlockTime: string; includesCChain: boolean | null }>(STORED, [networkId]);
    });
    return row ? { ...row, firstBlockTime: Number(row.firstBlockTime) } : null;
  }

  const isComplete = (chain: PrimaryChain, heads: Heads, time: number): boolean =>
    (chain === "X" && heads.X.blockNumber > 0) || Math.max(heads[chain].blockTimestamp, completeUntil[chain]) > time;

  return {
    noteComplete(chain, until) {
      completeUntil = { ...completeUntil, [chain]: Math.max(completeUntil[chain], until) };
    },
    async update(heads) {
      const count = heads.X.rawSeq - heads.X.blockNumber;
      if (heads.X.blockNumber < 0 || count === 0) return;
      stored ??= await loadStored();
      if (!stored || stored.includesCChain !== null) return;
      const { firstBlockTime } = stored;
      const chains = withCChain ? PRIMARY_CHAINS : (["P", "X"] as const);
      if (!chains.every((chain) => isComplete(chain, heads, firstBlockTime))) return;
      await writer.transaction(async (session) => {
        const times = timesOf(await loadVertexFacts(session, network, count));
        await storeVertexTimes(session, network, times, withCChain);
      });
      stored = { firstBlockTime, includesCChain: withCChain };
    },
    forget() {
      completeUntil = NOTHING;
      stored = null;
    },
  };
}
