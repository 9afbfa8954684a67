import { hash } from "node:crypto";
import type { Output, Utxo } from "../../../indexer/primary/decode/outputs.ts";

type Named<Type extends Output["type"]> = Extract<Output, { readonly type: Type }>;
type Encoders = { readonly [Type in Output["type"]]: (output: Named<Type>) => string };
type Owners = Pick<Named<"secp256k1fx.MintOutput">, "locktime" | "threshold" | "addresses">;

const CODEC_VERSION = "0000";

const u32 = (number: number): string => number.toString(16).padStart(8, "0");
const u64 = (number: bigint): string => number.toString(16).padStart(16, "0");
const owners = ({ locktime, threshold, addresses }: Owners): string =>
  u64(locktime) + u32(threshold) + u32(addresses.length) + addresses.join("");

/** Encodes an output with its type id, in hex. */
const OUTPUTS: Encoders = {
  "secp256k1fx.MintOutput": (output) => u32(6) + owners(output),
  "secp256k1fx.TransferOutput": (output) => u32(7) + u64(output.amount) + owners(output),
  "nftfx.MintOutput": (output) => u32(10) + u32(output.groupId) + owners(output),
  "nftfx.TransferOutput": (output) =>
    u32(11) + u32(output.groupId) + u32(output.payload.length / 2) + output.payload + owners(output),
  "propertyfx.MintOutput": (output) => u32(15) + owners(output),
  "propertyfx.OwnedOutput": (output) => u32(16) + owners(output),
  "stakeable.LockOut": ({ locktime, output }) => u32(22) + u64(locktime) + encodedOutput(output),
};

function encodedOutput<Type extends Output["type"]>(output: Named<Type>): string {
  return OUTPUTS[output.type as Type](output);
}

/** Encodes an unspent output as `getUTXOs` returns it, without a checksum: the inverse of `decodeUtxo`. */
export function encodeUtxo({ txId, outputIndex, assetId, output }: Omit<Utxo, "utxoId">): Uint8Array {
  return Buffer.from(CODEC_VERSION + txId + u32(outputIndex) + assetId + encodedOutput(output), "hex");
}

/** Formats bytes in a node's encoding `hex`, which ends with a checksum: the inverse of `parseCheckedHex`. */
export function formatCheckedHex(bytes: Uint8Array): string {
  return `0x${Buffer.concat([bytes, hash("sha256", bytes, "buffer").subarray(-4)]).toString("hex")}`;
}
