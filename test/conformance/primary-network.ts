import { decodeCb58 } from "../../core/formats/cb58.ts";
import { readManifest } from "../../recordings/manifest.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { type Rule, rule } from "./rule.ts";

export const P_CHAIN = "11111111111111111111111111111111LpoYY";
/** X- and C-Chain IDs of the network that the recorded one replaces, and of the other public network. */
const FUJI = {
  X: "2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm",
  C: "yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp",
};
const MAINNET = {
  X: "2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM",
  C: "2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5",
};

const idOf = (alias: string): string => {
  const chain = readManifest(ALPHA).chains.find((one) => one.alias === alias);
  if (!chain) throw new Error(`the recording has no chain ${alias}`);
  return chain.blockchainId;
};

/** Every name of a recorded chain in paths. */
export const CHAIN_NAMES = {
  P: ["p-chain", P_CHAIN],
  X: ["x-chain", idOf("X"), FUJI.X],
  C: ["c-chain", idOf("C"), FUJI.C],
} as const;

/** Rules of `network` in a path; `pathOf` builds the path. */
export function networkRules(id: string, pathOf: (network: string) => string): Rule[] {
  return [
    rule(`${id}.N1`, "MUST", "answers the same for testnet as for fuji", async (api) => {
      expect((await api.get(pathOf("testnet"))).text).toBe((await api.get(pathOf("fuji"))).text);
    }),
    rule(`${id}.N2`, "CHOICE", "returns 404 for a network that is not served", async (api) => {
      expect(await api.refusal(pathOf("mainnet"))).toEqual([
        404,
        "network mainnet is not served; served networks: fuji",
      ]);
    }),
    rule(`${id}.N3`, "MUST", "refuses any other network with 400", async (api) => {
      for (const network of ["local", "Fuji", "76001", "%20fuji", "constructor"])
        expect(await api.refusal(pathOf(network))).toEqual([
          400,
          `network must be one of mainnet, fuji, testnet, got "${decodeURIComponent(network)}"`,
        ]);
    }),
    rule(`${id}.N4`, "CHOICE", "returns 403 for a key that is restricted to another network", async (api) => {
      const apiKeys = [
        { key: "key-of-mainnet", networks: ["mainnet"] },
        { key: "key-of-fuji", networks: ["fuji"] },
      ];
      await using keyed = await api.limited({ settings: { apiKeys } });
      for (const network of ["fuji", "testnet"])
        for (const [key, status] of [
          ["key-of-mainnet", 403],
          ["key-of-fuji", 200],
        ] as const)
          expect((await keyed.get(pathOf(network), { headers: { "x-service-api-key": key } })).status).toBe(status);
    }),
  ];
}

type Chain = keyof typeof CHAIN_NAMES;

/** Rules of `blockchainId` in a path, for the chains that the route accepts. */
export function blockchainRules(
  id: string,
  pathOf: (blockchainId: string) => string,
  chains: readonly Chain[] = ["P", "X", "C"],
): Rule[] {
  return [
    rule(
      `${id}.B1`,
      "MUST",
      "accepts a chain's alias, its ID, and the documented ID of the same chain on Fuji, IDs also as hex",
      async (api) => {
        for (const chain of chains) {
          const [alias, ...ids] = CHAIN_NAMES[chain];
          const { status, text } = await api.get(pathOf(alias));
          expect([status, text.includes(`"chainInfo":{"chainName":"${alias}","network":"fuji"}`)]).toEqual([200, true]);
          const hexes = ids.map((one) => Buffer.from(decodeCb58(one) as Uint8Array).toString("hex"));
          for (const same of [...ids, ...hexes, ...hexes.map((hex) => `0x${hex}`)])
            expect((await api.get(pathOf(same))).text).toBe(text);
        }
      },
    ),
    rule(`${id}.B2`, "CHOICE", "returns 404 for any other chain", async (api) => {
      const cut = CHAIN_NAMES.X[1].slice(0, -1);
      const others = ["P", "P-Chain", "x", "76001", cut, MAINNET.X, MAINNET.C, idOf("l1"), "a%2Fb", "%00", "__proto__"];
      for (const other of [...others, "9".repeat(400)])
        expect(await api.refusal(pathOf(other))).toEqual([
          404,
          expect.stringMatching(
            /^blockchainId ".+ is not a chain of network fuji: its chains are p-chain, x-chain, c-chain, /,
          ),
        ]);
    }),
  ];
}
