import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { keccak256 } from "../../../core/formats/codec/bytes/hashes.ts";
import { constant, decode, type Layout, struct } from "../../../core/formats/codec/bytes/layout.ts";
import { refuse } from "../../../core/formats/codec/bytes/reader.ts";
import { rlpHex, rlpInteger, rlpItem, rlpList, rlpListOf, rlpOpenList, rlpString, withBytes } from "./rlp.ts";

const hash = rlpHex(32);

/** The header fields that all forks have. Newer forks append fields, which are skipped. */
const header = rlpOpenList(
  struct({
    parentHash: hash,
    unclesHash: hash,
    coinbase: rlpHex(20),
    stateRoot: hash,
    transactionsRoot: hash,
    receiptsRoot: hash,
    logsBloom: rlpHex(256),
    difficulty: rlpInteger,
    number: rlpInteger,
    gasLimit: rlpInteger,
    gasUsed: rlpInteger,
    timestamp: rlpInteger,
    extra: rlpString,
    mixHash: hash,
    nonce: rlpHex(8),
    extraDataHash: hash,
  }),
);

const FIRST_LIST = 0xc0;
const FIRST_TYPE = 0x01;
const LAST_TYPE = 0x7f;

/**
 * The bytes whose hash is the transaction hash: the RLP list of a legacy transaction, or the type byte and payload of a typed
 * transaction.
 */
const transaction: Layout<Uint8Array> = {
  minBytes: 1,
  read(reader) {
    const start = reader.at;
    if ((reader.bytes[start] ?? 0) >= FIRST_LIST) return rlpItem.read(reader);
    const typed = rlpString.read(reader);
    const type = typed[0] ?? 0;
    if (type >= FIRST_TYPE && type <= LAST_TYPE) return typed;
    return refuse(reader, `transaction type ${type}, not ${FIRST_TYPE} to ${LAST_TYPE}`, start);
  },
};

const version: Layout<number> = {
  minBytes: 1,
  read(reader) {
    const start = reader.at;
    const number = rlpInteger.read(reader);
    return number === 0 ? 0 : refuse(reader, `version ${number}, not 0`, start);
  },
};

const layout = rlpList(
  struct({
    header: withBytes(header),
    transactions: rlpListOf(transaction),
    uncles: rlpList(constant([])),
    version,
    extraData: withBytes(rlpString),
  }),
);

/** A block of the C-Chain. Hashes in hex without `0x`. */
export interface CBlock {
  /** keccak256 of the header's RLP. */
  readonly hash: string;
  readonly parentHash: string;
  readonly number: number;
  /** In seconds. */
  readonly timestamp: number;
  /** In block order. The transactions root of the header is not checked. */
  readonly transactionHashes: readonly string[];
  /** The encoded atomic transactions; empty if there are none. */
  readonly extraData: Uint8Array;
  /** Length in bytes. */
  readonly size: number;
}

const WHAT = "C-Chain block";
/** The value in headers before Apricot Phase 1. */
const NO_EXTRA_DATA_HASH = "0".repeat(64);

/**
 * Decodes a C-Chain block without its ProposerVM wrapper: the RLP of header, transactions, uncles (none), version (0) and
 * extra data. Checks the header's hash of the extra data. Throws `BadUpstreamData`.
 */
export function decodeCBlock(bytes: Uint8Array): CBlock {
  const { header, transactions, extraData } = decode(layout, bytes, WHAT);
  const { parentHash, number, timestamp, extraDataHash } = header.value;
  if (extraDataHash !== NO_EXTRA_DATA_HASH && extraDataHash !== keccak256(extraData.bytes)) {
    const offset = bytes.byteLength - extraData.bytes.byteLength;
    throw new BadUpstreamData(
      `${WHAT}, extraData at byte ${offset}: its hash is not ${extraDataHash}, the extra data hash in the header`,
    );
  }
  return {
    hash: keccak256(header.bytes),
    parentHash,
    number,
    timestamp,
    transactionHashes: transactions.map(keccak256),
    extraData: extraData.value,
    size: bytes.byteLength,
  };
}
