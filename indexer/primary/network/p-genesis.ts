import { sha256 } from "../../../core/formats/codec/bytes/hashes.ts";
import {
  decode,
  hexBytes,
  id,
  integer,
  list,
  struct,
  text,
  u32,
  u64,
  type ValueOf,
  versions,
} from "../../../core/formats/codec/bytes/layout.ts";
import { anyOutput } from "../../../core/formats/codec/transactions/feature-extensions.ts";
import { genesisChain, genesisValidator } from "../../../core/formats/codec/transactions/p-transactions.ts";

const genesis = struct({
  utxos: list(struct({ txId: id, outputIndex: u32, assetId: id, output: anyOutput, message: hexBytes })),
  validators: list(genesisValidator),
  chains: list(genesisChain),
  timestamp: integer,
  initialSupply: u64,
  message: text,
});
const layout = versions({ 0: genesis });

/** The genesis state of the P-Chain. Its id is the parent id of block 0. */
export interface PGenesis extends ValueOf<typeof genesis> {
  readonly id: string;
}

/** Decodes the genesis state of the P-Chain, which a node builds from its genesis file. Throws `BadUpstreamData`. */
export function decodePGenesis(bytes: Uint8Array): PGenesis {
  return { id: sha256(bytes), ...decode(layout, bytes, "P-Chain genesis") };
}
