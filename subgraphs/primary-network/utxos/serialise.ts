import { hash } from "node:crypto";
import type { UtxoRow } from "./rows.ts";

const CODEC_VERSION = 0;
const CHECKSUM_DIGITS = 8;
const LOCK_OUT = 22;

/** Codec type ID of each output type. */
const TYPE_IDS: Readonly<Record<string, number>> = {
  "secp256k1fx.MintOutput": 6,
  "secp256k1fx.TransferOutput": 7,
  "nftfx.MintOutput": 10,
  "nftfx.TransferOutput": 11,
  "propertyfx.MintOutput": 15,
  "propertyfx.OwnedOutput": 16,
};

/** Upper limit of the bytes of an output without its payload and its owners. */
const FIXED_BYTES = 128;
/** Outputs are written one after the other, without a pause, so all of them use this buffer: a page has hundreds. */
let buffer = Buffer.allocUnsafeSlow(4_096);
let end = 0;

/**
 * Serialised output with checksum, as a node's getUTXOs returns it, in `0x` hex. Null if an import of the output is indexed but
 * the export is not, because an import does not contain the owners. Also null for an unknown output type.
 */
export function utxoBytes(row: UtxoRow): string | null {
  const { outputType, addresses, payload, stakeableLocktime } = row;
  const typeId = TYPE_IDS[outputType];
  if (row.createdTimestamp === null || typeId === undefined) return null;
  begin(FIXED_BYTES + addresses.length + (payload?.length ?? 0));
  end = buffer.writeUInt16BE(CODEC_VERSION, 0);
  hex(row.txHash.slice(2));
  u32(row.outputIndex);
  hex(row.assetId.slice(2));
  if (stakeableLocktime !== null) {
    u32(LOCK_OUT);
    u64(stakeableLocktime);
  }
  u32(typeId);
  body(row);
  u64(row.locktime);
  u32(row.threshold);
  // The list has `\\x` before each owner, and commas between them.
  const owners = addresses === "" ? [] : addresses.slice(2).split(",\\x");
  u32(owners.length);
  for (const owner of owners) hex(owner);
  const checksum = hash("sha256", buffer.subarray(0, end)).slice(-CHECKSUM_DIGITS);
  return `0x${buffer.toString("hex", 0, end)}${checksum}`;
}

/** What follows the type ID. */
function body({ outputType, amount, groupId, payload }: UtxoRow): void {
  if (outputType === "secp256k1fx.TransferOutput") u64(amount);
  if (outputType.startsWith("nftfx.")) u32(groupId ?? 0);
  if (outputType !== "nftfx.TransferOutput") return;
  const bytes = payload?.slice(2) ?? "";
  u32(bytes.length / 2);
  hex(bytes);
}

function begin(length: number): void {
  if (buffer.length < length) buffer = Buffer.allocUnsafeSlow(length);
}

function hex(digits: string): void {
  end += buffer.write(digits, end, "hex");
}

function u32(number: string | number): void {
  end = buffer.writeUInt32BE(Number(number), end);
}

/** As a number if it is exact, because a bigint takes several times as long. */
function u64(decimal: string): void {
  const number = Number(decimal);
  if (!Number.isSafeInteger(number)) end = buffer.writeBigUInt64BE(BigInt(decimal), end);
  else {
    end = buffer.writeUInt32BE(Math.floor(number / 2 ** 32), end);
    end = buffer.writeUInt32BE(number % 2 ** 32, end);
  }
}
