import { BadUpstreamData } from "../../../core/errors.ts";
import { LogsRefuted } from "../fetch/settlements.ts";
import { type Head, indexedBlock } from "../store/head.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { type Chain, setHead } from "./chain.ts";
import { reorganise, rollBackTo } from "./reorganise.ts";
import { writeBlocks } from "./write-blocks.ts";

const FIRST_BATCH = 20;
/** Time that writing one batch should take. The size of the batches is adapted to it. */
const BATCH_TARGET_MS = 500;

/** Fetches and writes blocks up to `to`; fetches a batch while the previous one is written. False if the node reorganised. */
export async function catchUp(chain: Chain, to: number): Promise<boolean> {
  let size = Math.min(FIRST_BATCH, chain.indexing.batchBlocks);
  const fetchFrom = (from: number) => {
    const last = Math.min(to, Math.max(from + size - 1, chain.lastRefutingBlock));
    const batch = from <= to ? chain.source.blocks(from, last) : null;
    // The batch is awaited later; until then its failure must not count as unhandled.
    batch?.catch(() => {});
    return batch;
  };
  let fetching = fetchFrom(chain.head.blockNumber + 1);
  while (fetching) {
    const raws = await fetching;
    if (!followsHead(chain.head, raws)) {
      await rollBackFork(chain);
      return false;
    }
    verifyParents(raws);
    await verifySettlements(chain, raws);
    fetching = fetchFrom(chain.head.blockNumber + raws.length + 1);
    const startedAt = performance.now();
    await writeBlocks(chain, raws, to);
    size = nextSize(size, performance.now() - startedAt, chain.indexing.batchBlocks);
  }
  return true;
}

function followsHead({ blockNumber, blockHash }: Head, [first]: readonly RawBlock[]): boolean {
  return blockNumber < 0 || first?.block.parentHash === `0x${blockHash}`;
}

async function rollBackFork(chain: Chain): Promise<void> {
  const { blockNumber } = chain.head;
  const contradiction = `block ${blockNumber + 1} of the node does not name the node's own block ${blockNumber} as its parent`;
  setHead(chain, await reorganise(chain, blockNumber, contradiction));
}

function nextSize(size: number, tookMs: number, max: number): number {
  const factor = Math.min(2, Math.max(0.5, BATCH_TARGET_MS / Math.max(1, tookMs)));
  return Math.min(max, Math.max(1, Math.round(size * factor)));
}

function verifyParents(raws: readonly RawBlock[]): void {
  raws.slice(1).forEach(({ block }, i) => {
    const parent = (raws[i] as RawBlock).block;
    if (block.parentHash !== parent.hash)
      throw new BadUpstreamData(
        `block ${Number(block.number)} names parent ${block.parentHash}, but the node's block ${Number(parent.number)} is ${parent.hash}`,
      );
  });
}

/** Verifies settled logs. If the logs of written blocks are refuted, rolls these blocks back before it throws `LogsRefuted`. */
async function verifySettlements(chain: Chain, raws: readonly RawBlock[]): Promise<void> {
  try {
    await chain.settlements.verify(raws);
  } catch (error) {
    if (error instanceof LogsRefuted) {
      chain.lastRefutingBlock = error.settlingBlock;
      if (error.settled < chain.head.blockNumber) await rollBackToIndexed(chain, error.settled);
    }
    throw error;
  }
}

async function rollBackToIndexed(chain: Chain, number: number): Promise<void> {
  const { writer, chainId } = chain;
  const block = await writer.transaction((session) => indexedBlock(session, chainId, number));
  if (block) setHead(chain, await rollBackTo(chain, { number, ...block }));
}
