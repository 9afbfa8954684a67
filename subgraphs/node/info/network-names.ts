const NAMES: Readonly<Record<number, string>> = {
  1: "mainnet",
  2: "cascade",
  3: "denali",
  4: "everest",
  5: "fuji",
  10: "testing",
  12345: "local",
};

/** Name of a network, as avalanchego returns it. */
export const networkName = (networkId: number): string => NAMES[networkId] ?? `network-${networkId}`;
