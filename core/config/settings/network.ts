import { z } from "zod";

/** Networks in the REST specification. */
export const NETWORKS = ["mainnet", "fuji"] as const;
export type Network = (typeof NETWORKS)[number];

/** Network ids of mainnet and Fuji, as `info.getNetworkID` returns them. */
export const NETWORK_IDS: Readonly<Record<Network, number>> = { mainnet: 1, fuji: 5 };

/** A network's name in a setting. `testnet` is an alias of `fuji`. */
export const networkName = z
  .enum(["mainnet", "fuji", "testnet"])
  .transform((name): Network => (name === "testnet" ? "fuji" : name));
