import type { Session } from "../../shared/writer.ts";
import { TABLES } from "../decode/tables.ts";
import { loadRemoved, rollBackActivity } from "./activity/roll-back-activity.ts";
import { rollBackErc20Holdings } from "./holdings/erc20-holdings.ts";
import { rollBackNftHoldings } from "./holdings/nft-holdings.ts";
import { clearMessages, messagesOfBlocks, refreshMessages } from "./icm-messages.ts";
import { FIRST_SEEN_TABLES, HOLDING_TABLES } from "./tables.ts";
import { cutUntraced } from "./untraced-ranges.ts";

/** Deletes every row above block `blockNumber`, and moves the head there; `seq` is that of the rollback's entry. */
export async function rollBack(
  session: Session,
  chainId: string,
  { seq, blockNumber }: { readonly seq: number; readonly blockNumber: number },
): Promise<void> {
  const removed = await loadRemoved(session, chainId, blockNumber);
  const messageIds = await messagesOfBlocks(session, chainId, [blockNumber + 1, Number.MAX_SAFE_INTEGER]);
  await rollBackErc20Holdings(session, chainId, blockNumber);
  await rollBackNftHoldings(session, chainId, blockNumber);
  for (const table of [...TABLES, "erc20_balances"])
    await session.query(`DELETE FROM ${table} WHERE chain_id = $1 AND block_number > $2::bigint`, [
      chainId,
      blockNumber,
    ]);
  for (const table of FIRST_SEEN_TABLES)
    await session.query(`DELETE FROM ${table} WHERE chain_id = $1 AND first_block_number > $2`, [chainId, blockNumber]);
  await refreshMessages(session, chainId, messageIds);
  await session.query("UPDATE chain_verifications SET block_number = $2 WHERE chain_id = $1 AND block_number > $2", [
    chainId,
    blockNumber,
  ]);
  await cutUntraced(session, chainId, blockNumber);
  // After `cutUntraced`, which locks the head, and after the blocks: a backfill of traces locks both in this order.
  await rollBackActivity(session, chainId, removed);
  await session.query(
    `UPDATE chain_heads SET raw_seq = $3, block_number = b.block_number, block_hash = b.block_hash,
       block_timestamp = b.block_timestamp, cumulative_transactions = b.cumulative_transactions
     FROM evm_blocks b WHERE chain_heads.chain_id = $1 AND b.chain_id = $1 AND b.block_number = $2`,
    [chainId, blockNumber, seq],
  );
}

/**
 * Deletes the stored answers of contracts and the metadata of tokens that first appeared above `ancestor`: on another branch
 * they may be other contracts. Must run before `rollBack`, and not in a replay: the stored rollbacks are older than the
 * stored answers.
 */
export async function deleteContractAnswers(session: Session, chainId: string, ancestor: number): Promise<void> {
  for (const table of ["erc20_tokens", "nft_contracts"])
    await session.query(
      `DELETE FROM raw_token_answers r USING ${table} t
       WHERE r.chain_id = $1 AND t.chain_id = $1 AND t.first_block_number > $2 AND r.address = t.address`,
      [chainId, ancestor],
    );
  await session.query(
    `DELETE FROM nft_metadata m USING nft_items i
     WHERE m.chain_id = $1 AND i.chain_id = $1 AND i.first_block_number > $2
       AND m.address = i.address AND m.token_id = i.token_id AND m.erc_type = i.erc_type`,
    [chainId, ancestor],
  );
}

/** Deletes a chain's rows, so that its raw blocks can be replayed from the first entry. Keeps raw data and NFT metadata. */
export async function clearRows(session: Session, chainId: string): Promise<void> {
  for (const table of [...TABLES, ...FIRST_SEEN_TABLES, ...DERIVED_TABLES])
    await session.query(`DELETE FROM ${table} WHERE chain_id = $1`, [chainId]);
  await clearMessages(session, chainId);
}

/** Tables whose rows depend on earlier blocks, and the head. */
const DERIVED_TABLES = [
  "erc20_balances",
  ...HOLDING_TABLES,
  "untraced_ranges",
  "chain_heads",
  "chain_verifications",
  "evm_block_activity",
  "evm_activity",
  "evm_addresses",
];
