import { pgBytes } from "../../shared/pg-bytes.ts";
import type { Session } from "../../shared/writer.ts";
import type { ChainRules } from "../decode/chain-rules.ts";
import type { EncodedBlock } from "../decode/encoded-block.ts";
import { insertActivity } from "./activity/insert-activity.ts";
import { insertFirstSeen } from "./first-seen.ts";
import { type Head, loadHead } from "./head.ts";
import { insertErc20Holdings } from "./holdings/erc20-holdings.ts";
import { insertNftHoldings } from "./holdings/nft-holdings.ts";
import { copyEncoded, TABLES } from "./tables.ts";
import { addUntraced } from "./untraced-ranges.ts";

const UPSERT_HEAD = `INSERT INTO chain_heads (chain_id, genesis_hash, journal_seq, block_number, block_hash, block_timestamp, cumulative_transactions, rows_version,
     batched_blocks)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   ON CONFLICT (chain_id) DO UPDATE SET journal_seq = excluded.journal_seq, block_number = excluded.block_number,
     block_hash = excluded.block_hash, block_timestamp = excluded.block_timestamp,
     cumulative_transactions = excluded.cumulative_transactions,
     batched_blocks = chain_heads.batched_blocks + excluded.batched_blocks`;

/** Inserts the rows of consecutive blocks, moves the head, notifies the listeners for new blocks, and returns the head. */
export async function insertBlocks(
  session: Session,
  { chainId, rowsVersion }: Pick<ChainRules, "chainId" | "rowsVersion">,
  blocks: readonly EncodedBlock[],
  journalSeq: number,
): Promise<Head> {
  const last = blocks.at(-1);
  if (!last) return loadHead(session, chainId);
  for (const table of TABLES)
    await copyEncoded(
      session,
      table,
      blocks.map(({ encoded }) => encoded[table]),
    );
  await insertFirstSeen(session, chainId, blocks);
  await insertErc20Holdings(session, chainId, blocks);
  await insertNftHoldings(session, chainId, blocks);
  await addUntraced(session, chainId, blocks);
  await session.query(UPSERT_HEAD, [
    chainId,
    pgBytes(blocks[0]?.hash ?? ""),
    journalSeq,
    last.number,
    pgBytes(last.hash),
    last.timestamp,
    last.cumulativeTransactions,
    rowsVersion,
    blocks.length > 1 ? blocks.length : 0,
  ]);
  // After `UPSERT_HEAD`, which locks the head: a backfill of traces changes the figures of periods, too.
  await insertActivity(session, chainId, blocks);
  await session.query("SELECT pg_notify('moraine_blocks', $1)", [
    JSON.stringify({ chainId, blockNumber: String(last.number) }),
  ]);
  const { number, hash, cumulativeTransactions } = last;
  return { journalSeq, blockNumber: number, blockHash: hash, cumulativeTransactions, rowsVersion };
}
