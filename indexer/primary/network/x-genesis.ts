import { sha256 } from "../../../core/formats/codec/bytes/hashes.ts";
import {
  constant,
  decode,
  type Layout,
  list,
  struct,
  text,
  type ValueOf,
  versions,
} from "../../../core/formats/codec/bytes/layout.ts";
import { VERSION } from "../../../core/formats/codec/transactions/encoding.ts";
import { createAsset, type XTransactionOf } from "../../../core/formats/codec/transactions/x-transactions.ts";

const asset = struct({ ...createAsset, credentials: constant([]) });
/** Bytes before the asset in a signed CreateAssetTx (codec version, type id), and after it (an empty list of credentials). */
const BEFORE = Buffer.from([0, 0, 0, 0, 0, 1]);
const AFTER = Buffer.alloc(4);

/** An asset of the genesis, in the form of a CreateAssetTx. The id of this transaction is the asset id. */
export type GenesisAsset = XTransactionOf<"CreateAssetTx"> & { readonly alias: string };

const genesisAsset: Layout<GenesisAsset> = {
  minBytes: text.minBytes + asset.minBytes,
  read(reader) {
    const alias = text.read(reader);
    const start = reader.at;
    const value: ValueOf<typeof asset> = asset.read(reader);
    const signed = Buffer.concat([BEFORE, reader.bytes.subarray(start, reader.at), AFTER]);
    const bytes = signed.subarray(VERSION.byteLength);
    return { ...value, id: sha256(signed), size: signed.byteLength, bytes, alias };
  },
};
const layout = versions({ 0: struct({ assets: list(genesisAsset) }) });

/** Decodes the assets in the genesis data of the X-Chain, which is in the genesis state of the P-Chain. Throws `BadUpstreamData`. */
export function decodeXGenesis(bytes: Uint8Array): readonly GenesisAsset[] {
  return decode(layout, bytes, "X-Chain genesis").assets;
}
