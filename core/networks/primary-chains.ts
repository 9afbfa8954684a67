import type { Network } from "../config/settings/network.ts";

/** The chains of a primary network, in the order of lists. */
export const PRIMARY_CHAINS = ["P", "X", "C"] as const;

/** A chain of a primary network, as the tables name it. */
export type PrimaryChain = (typeof PRIMARY_CHAINS)[number];

/** Names of the chains in paths, requests and answers. */
export const PRIMARY_CHAIN_ALIASES = { P: "p-chain", X: "x-chain", C: "c-chain" } as const;

const NAMES: Readonly<Record<PrimaryChain, string>> = {
  P: "P-Chain",
  X: "X-Chain",
  C: "Atomic transactions of the C-Chain",
};

/** Name of what is indexed of a chain of a primary network, for operators. */
export const indexedChainName = (chain: PrimaryChain, network: Network): string => `${NAMES[chain]} of ${network}`;

/** Blockchain id of the P-Chain, the same on every network. */
export const P_CHAIN_ID = "11111111111111111111111111111111LpoYY";

/** Documented blockchain ids. They also name the chains of a private network that replaces mainnet or Fuji. */
export const DOCUMENTED_CHAIN_IDS: Readonly<Record<Network, Readonly<Record<"X" | "C", string>>>> = {
  mainnet: {
    X: "2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM",
    C: "2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5",
  },
  fuji: {
    X: "2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm",
    C: "yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp",
  },
};
