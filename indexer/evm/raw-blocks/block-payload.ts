import { deflateRawSync, inflateRawSync } from "node:zlib";
import { BadUpstreamData, messageOf } from "../../../core/errors/errors.ts";
import type { RawBlock, WireReceipt } from "../wire/blocks.ts";
import { bloomsOf, checkBlooms } from "../wire/bloom.ts";
import { COLUMN_DICTIONARY } from "./columns/dictionary.ts";
import type { Columns } from "./columns/format.ts";
import { readColumns } from "./columns/read.ts";
import { writeColumns } from "./columns/write.ts";
import type { PayloadCodec } from "./payload.ts";

type StoredBlock = Omit<RawBlock, "traces">;

/** A payload is the number of its format, the length of the hashes in 4 bytes, the hashes, and the rest, deflated. */
const FORMAT = 7;
const HEAD_BYTES = 5;
/** Higher levels save less than a hundredth. */
const LEVEL = 1;
const DICTIONARY = Buffer.from(COLUMN_DICTIONARY);

/** Compresses a block with its receipts. Payloads decode to what the node returned. */
export const blockPayloads: PayloadCodec = {
  encode: async (payload) => {
    const { compressible, hashes } = columnsOf(payload as StoredBlock);
    const head = Buffer.alloc(HEAD_BYTES, FORMAT);
    head.writeUInt32BE(hashes.length, 1);
    return Buffer.concat([head, hashes, deflateRawSync(compressible, { level: LEVEL, dictionary: DICTIONARY })]);
  },
  decode: async (payload) => {
    if (payload[0] !== FORMAT) throw new Error("the stored block is damaged: its format is unknown");
    const end = HEAD_BYTES + payload.readUInt32BE(1);
    const compressible = inflateRawSync(payload.subarray(end), { dictionary: DICTIONARY });
    return withBlooms(
      readColumns({ compressible, hashes: payload.subarray(HEAD_BYTES, end) }) as StoredBlock | WithoutBlooms,
    );
  },
};

function columnsOf(stored: StoredBlock): Columns {
  try {
    return writeColumns(withoutBlooms(stored));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Nested too deeply.
    throw new BadUpstreamData(`the node's answer cannot be stored: ${messageOf(error)}`);
  }
}

/** A block whose receipts have empty blooms, because they follow from the logs. The same holds for an empty bloom of the block. */
interface WithoutBlooms {
  readonly derived: StoredBlock;
}

/** Leaves blooms out if those of all receipts follow from their logs. The bloom of a block does so until Helicon. */
function withoutBlooms(stored: StoredBlock): StoredBlock | WithoutBlooms {
  const { block, receipts } = stored;
  if (block.logsBloom === "") return stored;
  const blooms = checkBlooms(receipts);
  if (blooms.wrongReceipt >= 0) return stored;
  const logsBloom = block.logsBloom === blooms.block ? "" : block.logsBloom;
  return { derived: { ...stored, block: { ...block, logsBloom }, receipts: receipts.map(withoutBloom) } };
}

const withoutBloom = (receipt: WireReceipt): WireReceipt => ({ ...receipt, logsBloom: "" });

function withBlooms(stored: StoredBlock | WithoutBlooms): StoredBlock {
  if (!("derived" in stored)) return stored;
  const { block, receipts } = stored.derived;
  const blooms = bloomsOf(receipts);
  for (const [i, receipt] of receipts.entries()) Object.assign(receipt, { logsBloom: blooms.receipts[i] });
  if (block.logsBloom === "") Object.assign(block, { logsBloom: blooms.block });
  return stored.derived;
}
