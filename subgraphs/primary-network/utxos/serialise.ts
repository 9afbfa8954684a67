import { hash } from "node:crypto";
import { byteList } from "../identifiers/byte-lists.ts";
import type { UtxoRow } from "./rows.ts";

const CODEC_VERSION = "0000";
const CHECKSUM_DIGITS = 8;

const u32 = (number: string | number): string => Number(number).toString(16).padStart(8, "0");
const u64 = (decimal: string): string => integerOf(decimal).toString(16).padStart(16, "0");
/** As a number if it is exact, because a bigint takes several times as long. */
function integerOf(decimal: string): number | bigint {
  const number = Number(decimal);
  return Number.isSafeInteger(number) ? number : BigInt(decimal);
}

const bytesOf = (hex: string | null): string => hex?.slice(2) ?? "";

/** Codec type ID of each output type, and the hex between the type ID and the owners. */
const OUTPUTS: Readonly<Record<string, readonly [typeId: number, body: (row: UtxoRow) => string]>> = {
  "secp256k1fx.MintOutput": [6, () => ""],
  "secp256k1fx.TransferOutput": [7, ({ amount }) => u64(amount)],
  "nftfx.MintOutput": [10, ({ groupId }) => u32(groupId ?? 0)],
  "nftfx.TransferOutput": [
    11,
    ({ groupId, payload }) => u32(groupId ?? 0) + u32(bytesOf(payload).length / 2) + bytesOf(payload),
  ],
  "propertyfx.MintOutput": [15, () => ""],
  "propertyfx.OwnedOutput": [16, () => ""],
};
const LOCK_OUT = 22;

/**
 * Serialised output with checksum, as a node's getUTXOs returns it, in `0x` hex. Null if an import of the output is indexed but
 * the export is not, because an import does not contain the owners. Also null for an unknown output type.
 */
export function utxoBytes(row: UtxoRow): string | null {
  const known = OUTPUTS[row.outputType];
  if (row.createdTimestamp === null || !known) return null;
  const [typeId, body] = known;
  const owners = byteList(row.addresses).map(bytesOf);
  const lock = row.stakeableLocktime === null ? "" : u32(LOCK_OUT) + u64(row.stakeableLocktime);
  const output =
    lock + u32(typeId) + body(row) + u64(row.locktime) + u32(row.threshold) + u32(owners.length) + owners.join("");
  const hex = CODEC_VERSION + bytesOf(row.txHash) + u32(row.outputIndex) + bytesOf(row.assetId) + output;
  return `0x${hex}${hash("sha256", Buffer.from(hex, "hex")).slice(-CHECKSUM_DIGITS)}`;
}
