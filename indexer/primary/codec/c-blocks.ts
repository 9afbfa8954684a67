import { keccak256 } from "./hashes.ts";
import { constant, decode, type Layout, type Read, struct } from "./layout.ts";
import { refuse } from "./reader.ts";
import { rlpHex, rlpInteger, rlpItem, rlpList, rlpListOf, rlpOpenList, rlpString } from "./rlp.ts";

const hash = rlpHex(32);

/** The fields that every fork has; those that forks have added follow them. */
const fields = rlpOpenList(
  struct({
    ...{ parentHash: hash, unclesHash: hash, coinbase: rlpHex(20), stateRoot: hash, transactionsRoot: hash },
    ...{ receiptsRoot: hash, logsBloom: rlpHex(256), difficulty: rlpInteger, number: rlpInteger },
    ...{ gasLimit: rlpInteger, gasUsed: rlpInteger, timestamp: rlpInteger, extra: rlpString, mixHash: hash },
    ...{ nonce: rlpHex(8), extraDataHash: hash },
  }),
);
const header: Layout<Read<typeof fields> & { readonly hash: string }> = {
  minBytes: fields.minBytes,
  read(reader) {
    const start = reader.at;
    const read = fields.read(reader);
    return { ...read, hash: keccak256(reader.bytes.subarray(start, reader.at)) };
  },
};

const FIRST_LIST = 0xc0;
const [FIRST_TYPE, LAST_TYPE] = [0x01, 0x7f];

/** Of an old transaction the whole list is hashed; of a typed one its type and what follows. */
const transactionHash: Layout<string> = {
  minBytes: 1,
  read(reader) {
    const start = reader.at;
    const isList = (reader.bytes[start] ?? 0) >= FIRST_LIST;
    const signed = isList ? rlpItem.read(reader) : rlpString.read(reader);
    const first = signed[0] ?? 0;
    if (!isList && (first < FIRST_TYPE || first > LAST_TYPE)) refuse(reader, "a transaction without a type", start);
    return keccak256(signed);
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

const BEFORE_APRICOT_PHASE_1 = "0".repeat(64);
/** The last item of a block, which the header names by the hash of its RLP. */
const extraData: Layout<{ readonly bytes: Uint8Array; readonly hash: string }> = {
  minBytes: 1,
  read(reader) {
    const start = reader.at;
    const bytes = rlpString.read(reader);
    return { bytes, hash: keccak256(reader.bytes.subarray(start, reader.at)) };
  },
};

const block = rlpList(
  struct({ header, transactionHashes: rlpListOf(transactionHash), uncles: rlpList(constant([])), version, extraData }),
);
const layout: Layout<Read<typeof block>> = {
  minBytes: block.minBytes,
  read(reader) {
    const read = block.read(reader);
    const { header, extraData } = read;
    if (header.extraDataHash !== extraData.hash && header.extraDataHash !== BEFORE_APRICOT_PHASE_1)
      refuse(reader, `extra data with the hash ${extraData.hash}, not ${header.extraDataHash} as in the header`);
    return read;
  },
};

/** A block of the C-Chain; hashes in hex without `0x`. */
export interface CBlock {
  /** keccak256 of the header's RLP. */
  readonly hash: string;
  readonly parentHash: string;
  readonly number: number;
  /** In seconds. */
  readonly timestamp: number;
  /** In the order of the block. That their root is the header's is not checked. */
  readonly transactionHashes: readonly string[];
  /** The atomic transactions; empty when there are none. */
  readonly extraData: Uint8Array;
  /** Length in bytes. */
  readonly size: number;
}

/**
 * Reads a block of the C-Chain without the proposer's wrapping: the RLP of header, transactions, uncles (none), version
 * (0) and extra data, which must have the hash in the header.
 */
export function decodeCBlock(bytes: Uint8Array): CBlock {
  const { header, transactionHashes, extraData } = decode(layout, bytes, "C-Chain block");
  const { hash, parentHash, number, timestamp } = header;
  return { hash, parentHash, number, timestamp, transactionHashes, extraData: extraData.bytes, size: bytes.byteLength };
}
