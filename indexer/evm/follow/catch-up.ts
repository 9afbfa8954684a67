import { messageOf } from "../../../core/errors/errors.ts";
import { createBatchSize } from "../../follow/batch-size.ts";
import { isFarBehind } from "../../follow/store-in-order.ts";
import type { GoodPrefix } from "../../shared/good-prefix.ts";
import { handledLater } from "../../shared/handled-later.ts";
import { mapGoodBlocks } from "../batches.ts";
import { LogsRefuted } from "../fetch/settlements.ts";
import { type Head, indexedBlock } from "../store/head.ts";
import { createMissingStatistics } from "../store/statistics.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { type Chain, setHead } from "./chain.ts";
import { reorganise, rollBackTo } from "./reorganise.ts";
import { type PreparedBlock, prepareBlocks, type Tip, tipAfter, writeBlocks } from "./write-blocks.ts";

/** Number of batches of a chain that is far behind after which its new tables may need statistics. */
const BATCHES_OF_NEW_TABLES = 10;

/**
 * Fetches and writes blocks up to `to`. While a batch is written, the next one is decoded and the one after it is fetched. False if
 * the node reorganised.
 */
export async function catchUp(chain: Chain, to: number): Promise<boolean> {
  const size = createBatchSize(chain.indexing.batchBlocks);
  const fetchFrom = (from: number) => {
    const last = Math.min(to, Math.max(from + size.current - 1, chain.lastRefutingBlock));
    return from <= to ? handledLater(chain.source.blocks(from, last)) : null;
  };
  let written = 0;
  const write = async (blocks: readonly PreparedBlock[]) => {
    if (blocks.length === 0) return;
    await size.measure(async () => {
      await writeBlocks(chain, blocks, to);
      written++;
      if (!isFarBehind(chain.head.blockNumber, to)) return;
      if (written <= BATCHES_OF_NEW_TABLES) await tryToCreateStatistics(chain);
      chain.maintenance?.afterBatch();
    });
  };
  let next = chain.head.blockNumber + 1;
  let tip: Tip = chain.head;
  let fetching = fetchFrom(next);
  let writing = Promise.resolve();
  // A function of its own, so that no variable keeps the blocks in memory while the next ones are awaited.
  const prepareAndWrite = async (fetched: readonly RawBlock[]): Promise<boolean> => {
    const raws = upToFork(fetched);
    next += raws.length;
    fetching = fetchFrom(next);
    const blocks = await prepareNext(chain, { tip, raws, writing });
    if (!blocks) {
      await rollBackFork(chain);
      return false;
    }
    tip = tipAfter(tip, blocks.good);
    writing = handledLater(write(blocks.good));
    // The blocks before the bad one are still written.
    if (blocks.failure) throw blocks.failure;
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
}

/**
 * Decodes blocks while the blocks before them are written, and then verifies that they follow them. Null if the node reorganised.
 */
async function prepareNext(
  chain: Chain,
  { tip, raws, writing }: NextBlocks,
): Promise<GoodPrefix<PreparedBlock> | null> {
  const preparing = handledLater(prepareBlocks(chain, tip, raws));
  await preparing.catch(() => {});
  await writing;
  // The head is now the last block before these ones.
  if (!followsHead(chain.head, raws)) return null;
  const settled = await verifySettlements(chain, raws);
  const prepared = await preparing;
  // The earlier failure counts.
  if (!settled.failure || settled.good.length > prepared.good.length) return prepared;
  return { good: prepared.good.slice(0, settled.good.length), failure: settled.failure };
}

function followsHead({ blockNumber, blockHash }: Head, [first]: readonly RawBlock[]): boolean {
  return blockNumber < 0 || first?.block.parentHash === `0x${blockHash}`;
}

async function rollBackFork(chain: Chain): Promise<void> {
  const { blockNumber } = chain.head;
  const contradiction = `block ${blockNumber + 1} of the node does not name the node's own block ${blockNumber} as its parent`;
  setHead(chain, await reorganise(chain, blockNumber, contradiction));
}

/**
 * The blocks up to the first whose parent is not the block before it. The node may have reorganised meanwhile. That block is fetched again,
 * and is then the first one, which is compared with the head.
 */
function upToFork(raws: readonly RawBlock[]): readonly RawBlock[] {
  const fork = raws.findIndex(({ block }, i) => i > 0 && block.parentHash !== raws[i - 1]?.block.hash);
  return fork < 0 ? raws : raws.slice(0, fork);
}

/**
 * Verifies settled logs. The blocks before the first whose logs are refuted are good. If the logs of written blocks are refuted, rolls
 * these blocks back.
 */
async function verifySettlements(chain: Chain, raws: readonly RawBlock[]): Promise<GoodPrefix<RawBlock>> {
  const { good, failure } = await mapGoodBlocks(raws, async (raw) => {
    await chain.settlements.verify(raw);
    return raw;
  });
  if (!(failure instanceof LogsRefuted)) return { good, failure };
  const { settled, settlingBlock } = failure;
  chain.lastRefutingBlock = settlingBlock;
  if (settled < chain.head.blockNumber) await rollBackToIndexed(chain, settled);
  return { good: good.filter(({ block }) => Number(block.number) <= settled), failure };
}

async function rollBackToIndexed(chain: Chain, number: number): Promise<void> {
  const { writer, chainId } = chain;
  const block = await writer.transaction((session) => indexedBlock(session, chainId, number));
  if (block) setHead(chain, await rollBackTo(chain, { number, ...block }));
}
