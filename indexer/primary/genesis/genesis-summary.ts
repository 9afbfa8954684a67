import { readFileSync } from "node:fs";
import { ConfigError } from "../../../core/config/config.ts";
import { addressPrefix } from "../../../core/formats/bech32.ts";
import { type BuiltGenesis, buildGenesis } from "./build.ts";
import { type GenesisFile, initialSupplyOf } from "./genesis-file.ts";
import { unpackGenesis } from "./packed-genesis.ts";

/** Values of a network that follow from its genesis file. Ids in hex. */
export interface GenesisSummary extends Omit<BuiltGenesis, "platformBytes"> {
  readonly networkId: number;
  /** Bech32 prefix of its addresses, without the chain alias. */
  readonly hrp: string;
  /** In seconds. */
  readonly startTime: number;
  readonly initialSupply: bigint;
  /** Builds the genesis state of the P-Chain at each call, to save memory: that of mainnet has 4.4 MB. */
  platformBytes(): Uint8Array;
}

/** Packed genesis files of the networks for which no genesis file is needed. */
const BUNDLED: Readonly<Record<number, URL>> = {
  1: new URL("./mainnet.gz", import.meta.url),
  5: new URL("./fuji.gz", import.meta.url),
};

const known = new Map<number, GenesisSummary>();

/**
 * Values of a network by its id (cached), or of a network of your own by its genesis file. Throws `ConfigError` for the id of a
 * network that needs a file.
 */
export function summariseGenesis(network: number | GenesisFile): GenesisSummary {
  if (typeof network !== "number") return summaryOf(network, () => network);
  const summary = known.get(network) ?? summaryOf(bundledGenesis(network), () => bundledGenesis(network));
  known.set(network, summary);
  return summary;
}

/** Reads the bundled genesis file of mainnet (1) or Fuji (5). Throws `ConfigError` for another network. */
export function bundledGenesis(networkId: number): GenesisFile {
  const table = BUNDLED[networkId];
  if (!table)
    throw new ConfigError(
      `network ${networkId} needs its genesis file: only those of 1 (mainnet) and 5 (Fuji) are bundled`,
    );
  return unpackGenesis(readFileSync(table));
}

function summaryOf(file: GenesisFile, read: () => GenesisFile): GenesisSummary {
  const { platformBytes: _, ...ids } = buildGenesis(file);
  return {
    ...ids,
    networkId: file.networkId,
    hrp: addressPrefix(file.networkId),
    startTime: file.startTime,
    initialSupply: initialSupplyOf(file),
    platformBytes: () => buildGenesis(read()).platformBytes,
  };
}
