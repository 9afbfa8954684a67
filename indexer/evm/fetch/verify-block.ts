import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { BadUpstreamData, quoted } from "../../../core/errors.ts";
import { keccak256 } from "../../../core/keccak.ts";
import { type RawBlock, type WireBlock, type WireLog, type WireReceipt } from "../wire/blocks.ts";
import { bloomOf, checkBlooms } from "../wire/bloom.ts";
import { bytes, integer, object, quantity, requireBytes, requireEqual, unequal } from "../wire/values.ts";

/**
 * Checks that a node's answers for block `number` are consistent: number, hashes, one receipt per transaction in order,
 * consecutively numbered logs, gas that adds up, blooms, the hash of atomic transactions. Throws `BadUpstreamData` that names the
 * inconsistency.
 */
export function verifyBlock(
  number: number,
  block: WireBlock | null,
  receipts: readonly WireReceipt[] | null,
): RawBlock {
  if (!block)
    throw new BadUpstreamData(
      `the node has no block ${number}, which is below its head: use a node that keeps all blocks`,
    );
  const where = `block ${number}`;
  object(block, where);
  if (integer(block.number, `number of ${where}`) !== number)
    throw new BadUpstreamData(`the node returned block ${quoted(block.number)} for ${where}`);
  requireBytes(block.hash, `hash of ${where}`, 32);
  requireBytes(block.parentHash, `parent hash of ${where}`, 32);
  if (!Array.isArray(block.transactions)) throw new BadUpstreamData(`${where} has no list of transactions`);
  if (!Array.isArray(receipts))
    throw new BadUpstreamData(`the node has no receipts of ${where}: use a node that keeps all receipts`);
  if (receipts.length !== block.transactions.length)
    throw new BadUpstreamData(
      `${where} has ${block.transactions.length} transactions, but the node gave ${receipts.length} receipts`,
    );
  verifyTransactions(where, block, receipts);
  verifyLogs(where, block, receipts);
  verifyExtData(where, block);
  return { block, receipts, traces: null };
}

/** Before Apricot Phase 1, a header has no hash of the block's atomic transactions. */
function verifyExtData(where: string, { blockExtraData = "0x", extDataHash }: WireBlock): void {
  if (extDataHash === undefined || (typeof extDataHash === "string" && /^0x0*$/.test(extDataHash))) return;
  const data = hexToBytes(bytes(blockExtraData, `blockExtraData of ${where}`));
  requireEqual(`extDataHash of ${where}`, extDataHash, `0x${bytesToHex(keccak256(rlpOf(data)))}`);
}

/** RLP of one byte string. */
function rlpOf(data: Uint8Array): Uint8Array {
  if (data.length === 1 && (data[0] as number) < 0x80) return data;
  if (data.length < 56) return Uint8Array.of(0x80 + data.length, ...data);
  const length = hexToBytes(data.length.toString(16).replace(/^(?=(..)*.$)/, "0"));
  const rlp = new Uint8Array(1 + length.length + data.length);
  rlp.set([0xb7 + length.length, ...length]);
  rlp.set(data, 1 + length.length);
  return rlp;
}

// What is verified is named only if there is an error: the names would take longer than the comparisons.
function verifyTransactions(where: string, block: WireBlock, receipts: readonly WireReceipt[]): void {
  let gasUsed = 0n;
  block.transactions.forEach((transaction, index) => {
    const receipt = receipts[index] as WireReceipt;
    const what = () => `transaction ${index} of ${where}`;
    const ofReceipt = () => `receipt of ${what()}`;
    object(transaction, what);
    object(receipt, ofReceipt);
    if (transaction.blockHash !== block.hash)
      throw unequal(`${what()}: its block hash`, transaction.blockHash, block.hash);
    const at = integer(transaction.transactionIndex, what);
    if (at !== index) throw unequal(`${what()}: index`, at, index);
    if (receipt.transactionHash !== transaction.hash)
      throw unequal(`${ofReceipt()}: transaction hash`, receipt.transactionHash, transaction.hash);
    if (receipt.blockHash !== block.hash) throw unequal(`${ofReceipt()}: block hash`, receipt.blockHash, block.hash);
    const receiptAt = integer(receipt.transactionIndex, what);
    if (receiptAt !== index) throw unequal(`${ofReceipt()}: index`, receiptAt, index);
    gasUsed += BigInt(quantity(receipt.gasUsed, () => `${ofReceipt()}: gas used`, 64));
    const cumulative = BigInt(quantity(receipt.cumulativeGasUsed, what));
    if (cumulative !== gasUsed) throw unequal(`${ofReceipt()}: cumulative gas`, String(cumulative), String(gasUsed));
  });
}

function verifyLogs(where: string, block: WireBlock, receipts: readonly WireReceipt[]): void {
  let index = 0;
  receipts.forEach((receipt, transactionIndex) => {
    if (!Array.isArray(receipt.logs)) throw new BadUpstreamData(`a receipt of ${where} has no list of logs`);
    for (const log of receipt.logs) {
      const what = () => `log ${index} of ${where}`;
      verifyShape(what, log);
      const at = integer(log.logIndex, what);
      if (at !== index) throw unequal(`${what()}: index`, at, index);
      if (log.blockHash !== block.hash) throw unequal(`${what()}: block hash`, log.blockHash, block.hash);
      if (log.transactionHash !== receipt.transactionHash)
        throw unequal(`${what()}: transaction hash`, log.transactionHash, receipt.transactionHash);
      const transactionAt = integer(log.transactionIndex, what);
      if (transactionAt !== transactionIndex)
        throw unequal(`${what()}: transaction index`, transactionAt, transactionIndex);
      if (log.removed) throw new BadUpstreamData(`${what()} is marked as removed`);
      index++;
    }
  });
  verifyBlooms(where, block, receipts);
}

/**
 * Only the bloom reveals missing logs at the end of a block. Where blocks are executed after they are accepted (ACP-194),
 * the header does not cover the block's own logs, but each receipt has the bloom of its logs.
 */
function verifyBlooms(where: string, { logsBloom, settledHeight }: WireBlock, receipts: readonly WireReceipt[]): void {
  const { block, wrongReceipt } = checkBlooms(receipts);
  if (settledHeight === undefined) requireEqual(`bloom of the logs of ${where}`, block, logsBloom);
  else if (wrongReceipt >= 0) {
    const { logs, logsBloom: given } = receipts[wrongReceipt] as WireReceipt;
    requireEqual(`bloom of the logs of transaction ${wrongReceipt} of ${where}`, bloomOf(logs), given);
  }
}

/** Checks the properties of a log on which the bloom filter and the decoders rely. */
function verifyShape(what: () => string, log: WireLog): void {
  object(log, what);
  requireBytes(log.address, () => `${what()}: address`, 20);
  if (!Array.isArray(log.topics)) throw new BadUpstreamData(`${what()} has no list of topics`);
  for (const topic of log.topics) requireBytes(topic, () => `${what()}: topic`, 32);
  requireBytes(log.data, () => `${what()}: data`);
}
