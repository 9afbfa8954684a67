import { sha256 } from "../bytes/hashes.ts";
import { constant, decode, type Layout, list, type Read, struct, text, versions } from "../bytes/layout.ts";
import { VERSION } from "../transactions/signed.ts";
import { createAsset, type XTransactionOf } from "../transactions/x-transactions.ts";

const asset = struct({ ...createAsset, credentials: constant([]) });
/** What a signed transaction has before and after the asset: codec version and type id, and no credentials. */
const [BEFORE, AFTER] = [Buffer.from([0, 0, 0, 0, 0, 1]), Buffer.alloc(4)];

/** An asset that exists from the start, as if a transaction had made it; its id is the asset's. */
export type GenesisAsset = XTransactionOf<"CreateAssetTx"> & { readonly alias: string };

const genesisAsset: Layout<GenesisAsset> = {
  minBytes: text.minBytes + asset.minBytes,
  read(reader) {
    const alias = text.read(reader);
    const start = reader.at;
    const read: Read<typeof asset> = asset.read(reader);
    const signed = Buffer.concat([BEFORE, reader.bytes.subarray(start, reader.at), AFTER]);
    const bytes = signed.subarray(VERSION.byteLength);
    return { ...read, id: sha256(signed), size: signed.byteLength, bytes, alias };
  },
};
const layout = versions({ 0: struct({ assets: list(genesisAsset) }) });

/** Reads the genesis data of the X-Chain (in the CreateChainTx of the platform genesis): its first assets. */
export function decodeXGenesis(bytes: Uint8Array): readonly GenesisAsset[] {
  return decode(layout, bytes, "X-Chain genesis").assets;
}
