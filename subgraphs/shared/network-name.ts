import { registerEnumType } from "type-graphql";

/** A network as callers name it. */
export const NetworkName = { mainnet: "mainnet", fuji: "fuji", testnet: "testnet" } as const;
export type NetworkName = keyof typeof NetworkName;

registerEnumType(NetworkName, {
  name: "Network",
  description: "A primary network.",
  valuesConfig: {
    mainnet: { description: "The main network." },
    fuji: { description: "The test network." },
    testnet: { description: "Another word for `fuji`." },
  },
});
