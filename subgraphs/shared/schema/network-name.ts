import { registerEnumType } from "type-graphql";

/** Names of primary networks in requests. */
export const NetworkName = { mainnet: "mainnet", fuji: "fuji", testnet: "testnet" } as const;
export type NetworkName = keyof typeof NetworkName;

registerEnumType(NetworkName, {
  name: "Network",
  description: "A primary network.",
  valuesConfig: {
    mainnet: { description: "Avalanche Mainnet." },
    fuji: { description: "Fuji, the test network." },
    testnet: { description: "Alias of `fuji`." },
  },
});
