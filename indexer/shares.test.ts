import type { Config } from "../core/config/config-schema.ts";
import { sharesOf } from "./shares.ts";

const configOf = (chainIds: number[], networkIds: number[]) =>
  ({
    evmChains: chainIds.map((chainId) => ({ chainId })),
    primaryNetworks: networkIds.map((networkId) => ({ networkId })),
  }) as unknown as Pick<Config, "evmChains" | "primaryNetworks">;

describe("the shares of several processes", () => {
  it("deal out chains and networks, each once, and the prices to the first", () => {
    expect(sharesOf(configOf([11, 12, 13], [1, 5]), 2)).toEqual([
      { chainIds: [11, 13], networkIds: [5], pollsPrices: true },
      { chainIds: [12], networkIds: [1], pollsPrices: false },
    ]);
  });

  it("are no more than there are chains and networks", () => {
    expect(sharesOf(configOf([11], [1]), 8)).toHaveLength(2);
    expect(sharesOf(configOf([], []), 8)).toEqual([]);
  });
});
