import { graphEnum } from "./graph-enum.ts";

/** Names of primary networks in requests. */
export const NetworkName = graphEnum({
  name: "Network",
  description: "A primary network.",
  values: { mainnet: "Avalanche Mainnet.", fuji: "Fuji, the test network.", testnet: "Alias of `FUJI`." },
});
export type NetworkName = (typeof NetworkName)[string];
