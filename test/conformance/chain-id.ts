import { decodeCb58 } from "../../core/formats/cb58.ts";
import { type Rule, rule } from "./rule.ts";

const P_CHAIN = "11111111111111111111111111111111LpoYY";

/** The rules of `chainId` in a path; `pathOf` gives the route's path for one. */
export function chainIdRules(id: string, pathOf: (chainId: string) => string): Rule[] {
  return [...keylessChainIdRules(id, pathOf), networkRule(id, pathOf)];
}

/** The same for a route that ignores API keys. */
export function keylessChainIdRules(id: string, pathOf: (chainId: string) => string): Rule[] {
  return [
    rule(`${id}.C1`, "MUST", "accepts the blockchain id, as CB58 or hex, instead of the EVM chain id", async (api) => {
      for (const { chain } of [api.c, api.l1]) {
        const { text } = await api.get(pathOf(String(chain.evmChainId)));
        const hex = Buffer.from(decodeCb58(chain.blockchainId) ?? []).toString("hex");
        for (const same of [chain.blockchainId, hex, `0x${hex}`, `0x${hex.toUpperCase()}`])
          expect((await api.get(pathOf(same))).text).toBe(text);
      }
    }),
    rule(
      `${id}.C2`,
      "CHOICE",
      "returns 404 for a chain that is not served, whatever the form of its id",
      async (api) => {
        const cut = api.c.chain.blockchainId.slice(0, -1);
        const ids = [
          "1",
          "43114",
          "0",
          "-1",
          "760011.0",
          "0760011",
          "1e9",
          "C",
          "c-chain",
          P_CHAIN,
          cut,
          "a%2Fb",
          "%00",
          "%20760011",
        ];
        for (const unknown of [...ids, "9".repeat(400), "..%2f..", "%F0%9F%98%80", "constructor", "__proto__"])
          expect(await api.refusal(pathOf(unknown))).toEqual([
            404,
            expect.stringMatching(/^chainId ".+ is not a supported chain/),
          ]);
      },
    ),
  ];
}

function networkRule(id: string, pathOf: (chainId: string) => string): Rule {
  return rule(`${id}.C3`, "CHOICE", "returns 403 for a key that is restricted to another network", async (api) => {
    const apiKeys = [
      { key: "key-of-mainnet", networks: ["mainnet"] },
      { key: "key-of-fuji", networks: ["fuji"] },
    ];
    await using keyed = await api.limited({ settings: { apiKeys } });
    const status = async (key: string, chainId: string) =>
      (await keyed.get(pathOf(chainId), { headers: { "x-service-api-key": key } })).status;
    expect(await status("key-of-mainnet", "760011")).toBe(403);
    expect(await status("key-of-mainnet", api.c.chain.blockchainId)).toBe(403);
    expect(await status("key-of-mainnet", "1")).toBe(404);
    expect(await status("key-of-fuji", "760011")).toBe(200);
  });
}
