import { blockPayload, EVM_BLOCKS } from "../../../core/database/block-channels.ts";
import { channelName } from "../../../core/database/postgres/schema-names.ts";
import { allEnded } from "../../shared/all-ended.ts";
import type { EncodedCopy } from "../../shared/copy-query.ts";
import { pgBytes } from "../../shared/pg-bytes.ts";
import type { Session } from "../../shared/writer.ts";
import type { ChainRules } from "../decode/chain-rules.ts";
import type { EncodedBlock } from "../decode/encoded-block.ts";
import { TABLES, type Table } from "../decode/tables.ts";
import { insertActivity } from "./activity/insert-activity.ts";
import { addToPeriods, type BlockFigures } from "./activity/period-figures.ts";
import { insertFirstSeen } from "./first-seen.ts";
import { type Head, loadHead } from "./head.ts";
import { insertErc20Holdings } from "./holdings/erc20-holdings.ts";
import { insertNftHoldings } from "./holdings/nft-holdings.ts";
import { insertMessages } from "./icm-messages.ts";
import { copiesOfBlocks } from "./tables.ts";
import { addUntraced } from "./untraced-ranges.ts";

const NOTIFY_BLOCK = `SELECT pg_notify(${channelName(EVM_BLOCKS.channel)}, $1)`;

const UPSERT_HEAD = `INSERT INTO chain_heads (chain_id, genesis_hash, raw_seq, block_number, block_hash, block_timestamp, cumulative_transactions, rows_version,
     batched_blocks)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   ON CONFLICT (chain_id) DO UPDATE SET raw_seq = excluded.raw_seq, block_number = excluded.block_number,
     block_hash = excluded.block_hash, block_timestamp = excluded.block_timestamp,
     cumulative_transactions = excluded.cumulative_transactions,
     batched_blocks = chain_heads.batched_blocks + excluded.batched_blocks`;

/** Tables with more than half of the rows. While PostgreSQL inserts them, this process computes what the other statements need. */
const FIRST_TABLES: readonly Table[] = ["evm_blocks", "evm_transactions"];
const LATER_TABLES = TABLES.filter((table) => !FIRST_TABLES.includes(table));

/**
 * Inserts the rows of consecutive blocks, moves the head, notifies the listeners for new blocks, and returns the head. `rawCopies` are rows
 * of the raw blocks for the same blocks.
 */
export async function insertBlocks(
  session: Session,
  { chainId, rowsVersion }: Pick<ChainRules, "chainId" | "rowsVersion">,
  blocks: readonly EncodedBlock[],
  rawSeq: number,
  rawCopies: readonly EncodedCopy[] = [],
): Promise<Head> {
  const last = blocks.at(-1);
  if (!last) return loadHead(session, chainId);
  session.requirePartitions?.(TABLES.filter((table) => blocks.some(({ encoded }) => encoded[table] !== null)));
  const figures = await insertRows(session, chainId, blocks, rawCopies);
  await addUntraced(session, chainId, blocks);
  await insertMessages(session, chainId, blocks);
  const { number, hash, cumulativeTransactions } = last;
  await allEnded({
    head: session.query(UPSERT_HEAD, [
      chainId,
      pgBytes(blocks[0]?.hash ?? ""),
      rawSeq,
      number,
      pgBytes(hash),
      last.timestamp,
      cumulativeTransactions,
      rowsVersion,
      blocks.length > 1 ? blocks.length : 0,
    ]),
    // After `UPSERT_HEAD`, which locks the head: a backfill of traces changes the figures of periods, too.
    periods: addToPeriods(session, chainId, figures),
    notification: session.query(NOTIFY_BLOCK, [blockPayload(chainId, number)]),
  });
  return { rawSeq, blockNumber: number, blockHash: hash, cumulativeTransactions, rowsVersion };
}

/**
 * Inserts all rows but the head. The parts do not depend on one another, so that PostgreSQL has a statement of one part to execute while
 * this process computes the next statement of another part.
 */
async function insertRows(
  session: Session,
  chainId: string,
  blocks: readonly EncodedBlock[],
  rawCopies: readonly EncodedCopy[],
): Promise<readonly BlockFigures[]> {
  const { activity } = await allEnded({
    first: session.copy([...rawCopies, ...copiesOfBlocks(blocks, FIRST_TABLES)]),
    erc20: insertErc20Holdings(session, chainId, blocks),
    activity: insertActivity(session, chainId, blocks),
    nft: insertNftHoldings(session, chainId, blocks),
    firstSeen: insertFirstSeen(session, chainId, blocks),
    later: session.copy(copiesOfBlocks(blocks, LATER_TABLES)),
  });
  return activity;
}
