import { quoted } from "../../core/errors.ts";
import { BadUpstreamData } from "../errors.ts";
import { bloomOf } from "./bloom.ts";
import { integer, quantity, type RawBlock, type WireBlock, type WireReceipt } from "./wire.ts";

/**
 * Checks that a node's answers for block `number` belong together: number, hashes, one receipt for each transaction in
 * order, logs of this block numbered without a gap, gas that adds up. Throws `BadUpstreamData` saying what does not.
 */
export function verifyBlock(
  number: number,
  block: WireBlock | null,
  receipts: readonly WireReceipt[] | null,
): RawBlock {
  if (!block) throw new BadUpstreamData(`the node has no block ${number}, which is below its head (pruned?)`);
  const where = `block ${number}`;
  if (integer(block.number, `number of ${where}`) !== number)
    throw new BadUpstreamData(`asked for ${where}, the node answered block ${quoted(block.number)}`);
  if (!Array.isArray(block.transactions)) throw new BadUpstreamData(`${where} has no list of transactions`);
  if (!Array.isArray(receipts)) throw new BadUpstreamData(`the node has no receipts of ${where} (pruned?)`);
  if (receipts.length !== block.transactions.length)
    throw new BadUpstreamData(
      `${where} has ${block.transactions.length} transactions, but the node gave ${receipts.length} receipts`,
    );
  verifyTransactions(where, block, receipts);
  verifyLogs(where, block, receipts);
  return { block, receipts };
}

function verifyTransactions(where: string, block: WireBlock, receipts: readonly WireReceipt[]): void {
  let gasUsed = 0n;
  block.transactions.forEach((transaction, index) => {
    const receipt = receipts[index] as WireReceipt;
    const what = `transaction ${index} of ${where}`;
    same(`${what}: its block hash`, transaction.blockHash, block.hash);
    same(`${what}: index`, integer(transaction.transactionIndex, what), index);
    same(`receipt of ${what}: transaction hash`, receipt.transactionHash, transaction.hash);
    same(`receipt of ${what}: block hash`, receipt.blockHash, block.hash);
    same(`receipt of ${what}: index`, integer(receipt.transactionIndex, what), index);
    gasUsed += BigInt(receipt.gasUsed);
    same(`receipt of ${what}: cumulative gas`, quantity(receipt.cumulativeGasUsed, what), gasUsed.toString());
  });
}

function verifyLogs(where: string, block: WireBlock, receipts: readonly WireReceipt[]): void {
  let index = 0;
  for (const receipt of receipts) {
    if (!Array.isArray(receipt.logs)) throw new BadUpstreamData(`a receipt of ${where} has no list of logs`);
    for (const log of receipt.logs) {
      const what = `log ${index} of ${where}`;
      same(`${what}: index`, integer(log.logIndex, what), index);
      same(`${what}: block hash`, log.blockHash, block.hash);
      same(`${what}: transaction hash`, log.transactionHash, receipt.transactionHash);
      if (log.removed) throw new BadUpstreamData(`${what} is marked as removed`);
      index++;
    }
  }
  // Nothing else shows that logs at the end of a block were left out.
  same(`bloom of the logs of ${where}`, bloomOf(receipts.flatMap((receipt) => receipt.logs)), block.logsBloom);
}

function same(what: string, got: string | number, expected: string | number): void {
  if (got !== expected) throw new BadUpstreamData(`${what} is ${quoted(got)}, expected ${quoted(expected)}`);
}
