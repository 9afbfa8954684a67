import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { BadUpstreamData, quoted } from "../../../core/errors/errors.ts";
import { keccak256 } from "../../../core/formats/keccak.ts";
import { BlockUnavailable } from "../../shared/node/lagging-node.ts";
import { type RawBlock, type WireBlock, type WireLog, type WireReceipt } from "../wire/blocks.ts";
import { bloomOf, checkBlooms } from "../wire/bloom.ts";
import { bytes, integer, isAbsent, object, quantity, requireBytes, requireEqual, unequal } from "../wire/values.ts";

/**
 * Checks that a node's answers for block `number` are consistent: number, hashes, one receipt per transaction in order,
 * consecutively numbered logs, gas that adds up, blooms, the hash of atomic transactions. Throws `BadUpstreamData` that names the
 * inconsistency.
 */
export function verifyBlock(
  number: number,
  wireBlock: WireBlock | null,
  receipts: readonly WireReceipt[] | null,
): RawBlock {
  const block = verifyHeader(number, wireBlock);
  const where = `block ${number}`;
  if (!Array.isArray(receipts))
    throw new BlockUnavailable(`the node has no receipts of ${where}: use a node that keeps all receipts`);
  if (receipts.length !== block.transactions.length)
    throw new BadUpstreamData(
      `${where} has ${block.transactions.length} transactions, but the node gave ${receipts.length} receipts`,
    );
  verifyTransactions(where, block, receipts);
  verifyLogs(where, block, receipts);
  return { block, receipts, traces: null };
}

/** The checks of `verifyBlock` that need no receipts. */
export function verifyHeader(number: number, block: WireBlock | null): WireBlock {
  if (!block)
    throw new BlockUnavailable(
      `the node has no block ${number}, which is below its head: use a node that keeps all blocks`,
    );
  const where = `block ${number}`;
  object(block, where);
  if (integer(block.number, `number of ${where}`) !== number)
    throw new BadUpstreamData(`the node returned block ${quoted(block.number)} for ${where}`);
  requireBytes(block.hash, `hash of ${where}`, 32);
  requireBytes(block.parentHash, `parentHash of ${where}`, 32);
  if (!Array.isArray(block.transactions)) throw new BadUpstreamData(`${where} has no list of transactions`);
  verifyExtData(where, block);
  return block;
}

/** Before Apricot Phase 1, a header has no hash of the block's atomic transactions. */
function verifyExtData(where: string, { blockExtraData, extDataHash }: WireBlock): void {
  if (isAbsent(extDataHash) || (typeof extDataHash === "string" && /^0x0*$/.test(extDataHash))) return;
  const data = hexToBytes(bytes(blockExtraData ?? "0x", `blockExtraData of ${where}`));
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
    requireBytes(transaction.hash, () => `${what()}: hash`, 32);
    if (receipt.transactionHash !== transaction.hash)
      throw unequal(`${ofReceipt()}: transactionHash`, receipt.transactionHash, transaction.hash);
    const position = { blockHash: block.hash, transactionIndex: index };
    verifyPosition(what, transaction, position);
    verifyPosition(ofReceipt, receipt, position);
    gasUsed += BigInt(quantity(receipt.gasUsed, () => `${ofReceipt()}: gasUsed`, 64));
    const cumulative = BigInt(quantity(receipt.cumulativeGasUsed, () => `${ofReceipt()}: cumulativeGasUsed`));
    if (cumulative !== gasUsed) throw unequal(`${ofReceipt()}: cumulativeGasUsed`, String(cumulative), String(gasUsed));
  });
}

interface Position {
  readonly blockHash: string;
  readonly transactionIndex: number;
}

/** Checks the members that repeat where an object is. A node may leave them out. */
function verifyPosition(
  what: () => string,
  { blockHash, transactionIndex }: Pick<WireLog, "blockHash" | "transactionIndex">,
  position: Position,
): void {
  if (!isAbsent(blockHash) && blockHash !== position.blockHash)
    throw unequal(`${what()}: blockHash`, blockHash, position.blockHash);
  if (isAbsent(transactionIndex)) return;
  const at = integer(transactionIndex, () => `${what()}: transactionIndex`);
  if (at !== position.transactionIndex) throw unequal(`${what()}: transactionIndex`, at, position.transactionIndex);
}

function verifyLogs(where: string, block: WireBlock, receipts: readonly WireReceipt[]): void {
  let index = 0;
  receipts.forEach((receipt, transactionIndex) => {
    if (!Array.isArray(receipt.logs)) throw new BadUpstreamData(`a receipt of ${where} has no list of logs`);
    const position = { blockHash: block.hash, transactionIndex };
    for (const log of receipt.logs) {
      const what = () => `log ${index} of ${where}`;
      verifyShape(what, log);
      const at = integer(log.logIndex, () => `${what()}: logIndex`);
      if (at !== index) throw unequal(`${what()}: logIndex`, at, index);
      verifyPosition(what, log, position);
      const { transactionHash } = log;
      if (!isAbsent(transactionHash) && transactionHash !== receipt.transactionHash)
        throw unequal(`${what()}: transactionHash`, transactionHash, receipt.transactionHash);
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
  if (isAbsent(settledHeight)) requireEqual(`logsBloom of ${where}, computed from its logs,`, block, logsBloom);
  else if (wrongReceipt >= 0) {
    const { logs, logsBloom: given } = receipts[wrongReceipt] as WireReceipt;
    const what = `logsBloom of the receipt of transaction ${wrongReceipt} of ${where}, computed from its logs,`;
    requireEqual(what, bloomOf(logs), given);
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
