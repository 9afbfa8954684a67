import { BadUpstreamData, messageOf } from "../../../core/errors.ts";
import { handledLater } from "../../../core/handled-later.ts";
import { nextBatchSize } from "../batches.ts";
import { LogsRefuted } from "../fetch/settlements.ts";
import { type Head, indexedBlock } from "../store/head.ts";
import { createMissingStatistics } from "../store/statistics.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { type Chain, setHead } from "./chain.ts";
import { reorganise, rollBackTo } from "./reorganise.ts";
import { isFarBehind, type PreparedBlock, prepareBlocks, type Tip, tipAfter, writeBlocks } from "./write-blocks.ts";

const FIRST_BATCH = 20;
/** Number of batches of a chain that is far behind after which its new tables may need statistics. */
const BATCHES_OF_NEW_TABLES = 10;

/**
 * Fetches and writes blocks up to `to`. While a batch is written, the next one is decoded and the one after it is fetched. False if
 * the node reorganised.
 */
export async function catchUp(chain: Chain, to: number): Promise<boolean> {
  let size = Math.min(FIRST_BATCH, chain.indexing.batchBlocks);
  const fetchFrom = (from: number) => {
    const last = Math.min(to, Math.max(from + size - 1, chain.lastRefutingBlock));
    return from <= to ? handledLater(chain.source.blocks(from, last)) : null;
  };
  let written = 0;
  const write = async (blocks: readonly PreparedBlock[]) => {
    const startedAt = performance.now();
    await writeBlocks(chain, blocks, to);
    written++;
    if (isFarBehind(chain, to)) {
      if (written <= BATCHES_OF_NEW_TABLES) await tryToCreateStatistics(chain);
      chain.maintenance?.afterBatch();
    }
    size = nextBatchSize(size, performance.now() - startedAt, chain.indexing.batchBlocks);
  };
  let next = chain.head.blockNumber + 1;
  let tip: Tip = chain.head;
  let fetching = fetchFrom(next);
  let writing = Promise.resolve();
  // A function of its own, so that no variable keeps the blocks in memory while the next ones are awaited.
  const prepareAndWrite = async (raws: readonly RawBlock[]): Promise<boolean> => {
    next += raws.length;
    fetching = fetchFrom(next);
    const blocks = await prepareNext(chain, { tip, raws, writing, to });
    if (!blocks) {
      await rollBackFork(chain);
      return false;
    }
    tip = tipAfter(tip, blocks);
    writing = handledLater(write(blocks));
    return true;
  };
  try {
    while (fetching) if (!(await fetching.then(prepareAndWrite))) return false;
  } finally {
    await writing;
  }
  return true;
}

/** Blocks can be written without statistics, only more slowly. If the session of the writer is lost, the next write fails. */
async function tryToCreateStatistics({ writer, chainId, logger }: Chain): Promise<void> {
  await createMissingStatistics(writer, chainId).catch((error: unknown) => {
    logger.warn({ chainId, err: error }, `the statistics of the tables could not be made: ${messageOf(error)}`);
  });
}

interface NextBlocks {
  readonly tip: Tip;
  readonly raws: readonly RawBlock[];
  /** Ends when the blocks before them are written. */
  readonly writing: Promise<void>;
  /** Height of the node's head. */
  readonly to: number;
}

/**
 * Decodes blocks while the blocks before them are written, and then verifies that they follow them. Null if the node reorganised.
 */
async function prepareNext(chain: Chain, { tip, raws, writing, to }: NextBlocks): Promise<PreparedBlock[] | null> {
  const preparing = handledLater(prepareBlocks(chain, tip, raws));
  await preparing.catch(() => {});
  await writing;
  // The head is now the last block before these ones. These checks come before a failure to decode the blocks.
  if (!followsHead(chain.head, raws)) return null;
  verifyParents(raws);
  await verifySettlements(chain, raws);
  try {
    return await preparing;
  } catch (error) {
    // The blocks before the bad one are served.
    for (const raw of raws) await writeBlocks(chain, await prepareBlocks(chain, chain.head, [raw]), to);
    throw error;
  }
}

function followsHead({ blockNumber, blockHash }: Head, [first]: readonly RawBlock[]): boolean {
  return blockNumber < 0 || first?.block.parentHash === `0x${blockHash}`;
}

async function rollBackFork(chain: Chain): Promise<void> {
  const { blockNumber } = chain.head;
  const contradiction = `block ${blockNumber + 1} of the node does not name the node's own block ${blockNumber} as its parent`;
  setHead(chain, await reorganise(chain, blockNumber, contradiction));
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
