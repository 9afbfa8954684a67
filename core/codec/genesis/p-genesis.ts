import { sha256 } from "../bytes/hashes.ts";
import { decode, hexBytes, id, integer, list, type Read, struct, text, u32, u64, versions } from "../bytes/layout.ts";
import { anyOutput } from "../transactions/feature-extensions.ts";
import { genesisChain, genesisValidator } from "../transactions/p-transactions.ts";

const genesis = struct({
  utxos: list(struct({ txId: id, outputIndex: u32, assetId: id, output: anyOutput, message: hexBytes })),
  validators: list(genesisValidator),
  chains: list(genesisChain),
  timestamp: integer,
  initialSupply: u64,
  message: text,
});
const layout = versions({ 0: genesis });

/** The state in which the P-Chain begins. The id is the parent of its block 0. */
export interface PGenesis extends Read<typeof genesis> {
  readonly id: string;
}

/** Reads the platform genesis bytes, as a node makes them of its genesis file. */
export function decodePGenesis(bytes: Uint8Array): PGenesis {
  return { id: sha256(bytes), ...decode(layout, bytes, "P-Chain genesis") };
}
