import { CURRENCIES } from "../../core/networks/prices.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { factsOf } from "../support/recorded/primary-vectors.ts";
import type { RecordedReward } from "../support/recorded/recorded-stakings.ts";
import type { Api } from "./api.ts";
import { everyRouteRules } from "./every-route.ts";
import { type ListRoute, paginationRules } from "./pagination.ts";
import { networkRules } from "./primary-network.ts";
import { type Rule, rule } from "./rule.ts";
import { allOf, type Item, NODE, OTHER_NODE, type PlacedStaking, recorded, STRANGER } from "./stakers.ts";

const PATH = "/v1/networks/fuji/rewards";
const ON_NODE = `nodeIds=${NODE}`;

type Reward = readonly [PlacedStaking, RecordedReward];

/** Matching rewards of the node, latest end first, then last paid first. */
function expected(api: Api, matches: (reward: Reward) => boolean = () => true): Reward[] {
  const places = new Map(api.primary.P.map(({ txHash }, at) => [txHash, at]));
  const placeOf = ([{ rewardTxHash }]: Reward) => places.get(rewardTxHash ?? "") ?? -1;
  return recorded(api)
    .stakings.flatMap((staking) => staking.rewards.map((reward): Reward => [staking, reward]))
    .filter(matches)
    .toSorted(
      (one, other) =>
        other[0].end - one[0].end || placeOf(other) - placeOf(one) || other[1].outputIndex - one[1].outputIndex,
    );
}

const utxoIds = (rewards: readonly Reward[]) => rewards.map(([, { utxoId }]) => utxoId);
const idsOf = (items: readonly Item[]) => items.map(({ utxoId }) => utxoId as string);
const all = (api: Api, query: string) => allOf(api, PATH, "historicalRewards", `&${query}`);
const on =
  (...nodes: string[]) =>
  ([{ nodeId }]: Reward) =>
    nodes.includes(nodeId);
const owned =
  (...owners: string[]) =>
  ([, { addresses }]: Reward) =>
    addresses.some((one) => owners.includes(one));
const ownersOf = (api: Api) => [...new Set(expected(api).flatMap(([, { addresses }]) => addresses))];

const LIST: ListRoute = {
  id: "E11",
  path: `${PATH}?${ON_NODE}`,
  spellings: [
    `/v1/networks/testnet/rewards?${ON_NODE}`,
    `${PATH}?nodeIds=${NODE},%20${NODE}`,
    `${PATH}?addresses=&${ON_NODE}`,
  ],
  others: {
    nodeIds: `${PATH}?nodeIds=${OTHER_NODE}`,
    sortOrder: `${PATH}?${ON_NODE}&sortOrder=asc`,
    addresses: `${PATH}?${ON_NODE}&addresses=custom1ptj7uyt5e2segurd6tpjxvhtqxp404280mtke3`,
  },
  items: "historicalRewards",
  key: ({ utxoId }) => String(utxoId),
  expected: (api) => utxoIds(expected(api, on(NODE))),
};

const FILTER_RULES: readonly Rule[] = [
  rule(
    "E11.1",
    "MUST",
    "refuses a request without addresses and nodeIds with 400, also if both are empty",
    async (api) => {
      for (const query of ["", "?addresses=", "?addresses=&nodeIds=&sortOrder=asc"])
        expect(await api.refusal(PATH + query)).toEqual([400, "addresses or nodeIds must be given"]);
    },
  ),
  rule(
    "E11.13",
    "MUST",
    "returns 404 for a network that is not served, also without addresses and nodeIds",
    async (api) => {
      const path = "/v1/networks/mainnet/rewards";
      const refusal = await api.refusal(`${path}?${ON_NODE}`);
      expect(refusal[0]).toBe(404);
      expect(await api.refusal(path)).toEqual(refusal);
    },
  ),
  rule("E11.2", "MUST", "lists the rewards of an address, with or without a chain prefix", async (api) => {
    expect(ownersOf(api).length).toBeGreaterThan(4);
    for (const owner of ownersOf(api))
      for (const prefix of ["", "P-", "X-"])
        expect(idsOf(await all(api, `addresses=${prefix}${owner}`))).toEqual(utxoIds(expected(api, owned(owner))));
  }),
  rule("E11.3", "MUST", "lists the rewards of several addresses or nodes, without duplicates", async (api) => {
    const owners = ownersOf(api);
    expect(idsOf(await all(api, `addresses=${owners.join("%2C")}`))).toEqual(utxoIds(expected(api)));
    const nodes = [...new Set(recorded(api).stakings.map(({ nodeId }) => nodeId))];
    expect(idsOf(await all(api, `nodeIds=${nodes.join(",%20")}`))).toEqual(utxoIds(expected(api)));
  }),
  rule("E11.4", "CHOICE", "returns rewards that match both addresses and nodeIds", async (api) => {
    const [owner = ""] = ownersOf(api);
    for (const nodes of [[NODE], [OTHER_NODE], [OTHER_NODE, NODE], [STRANGER]]) {
      const both = (reward: Reward) => owned(owner)(reward) && on(...nodes)(reward);
      expect(idsOf(await all(api, `addresses=${owner}&nodeIds=${nodes}`))).toEqual(utxoIds(expected(api, both)));
    }
  }),
  rule("E11.5", "MUST", "sortOrder sets the direction by end time; the default is desc", async (api) => {
    const [plain, desc, asc] = await Promise.all(
      ["", "&sortOrder=desc", "&sortOrder=asc"].map(async (order) => idsOf(await all(api, ON_NODE + order))),
    );
    expect(desc).toEqual(plain);
    expect(asc).toEqual(plain?.toReversed());
  }),
  rule("E11.6", "CHOICE", "refuses an invalid address or node ID with 400 and names it in the message", async (api) => {
    for (const bad of ["x", "avax1ptj7uyt5e2segurd6tpjxvhtqxp40428s9pu6q", `0x${"1".repeat(40)}`, "%00", "a,,b"])
      expect(await api.refusal(`${PATH}?addresses=${bad}`)).toEqual([400, expect.stringMatching(/^addresses m/)]);
    for (const bad of ["x", NODE.slice(7), `${NODE}x`, `${NODE},`, "NodeID-", "%F0%9F%98%80"])
      expect(await api.refusal(`${PATH}?nodeIds=${bad}`)).toEqual([
        400,
        expect.stringMatching(/^nodeIds must be a node ID, as NodeID-…, got "/),
      ]);
  }),
  rule("E11.7", "CHOICE", "returns an empty list for an address or node without rewards", async (api) => {
    expect(await api.body(`${PATH}?nodeIds=${STRANGER}`)).toEqual({ historicalRewards: [] });
  }),
];

const CONTENT_RULES: readonly Rule[] = [
  rule("E11.8", "MUST", "lists each reward output of the node, with the rewarded stake", async (api) => {
    const assetId = (api.config.primaryNetworks[0] && avaxOf(api)) ?? "";
    const rewards = await all(api, ON_NODE);
    expect(rewards).toEqual(
      expected(api, on(NODE)).map(([staking, reward]) => ({
        addresses: reward.addresses,
        txHash: staking.txHash,
        amountStaked: staking.weight,
        nodeId: staking.nodeId,
        startTimestamp: staking.start,
        endTimestamp: staking.end,
        rewardType: reward.rewardType,
        utxoId: reward.utxoId,
        outputIndex: reward.outputIndex,
        reward: {
          assetId,
          name: "Avalanche",
          symbol: "AVAX",
          denomination: 9,
          type: "secp256k1",
          amount: reward.amount,
        },
        rewardTxHash: staking.rewardTxHash,
      })),
    );
    expect(new Set(rewards.map(({ rewardType }) => rewardType))).toEqual(
      new Set(["VALIDATOR", "DELEGATOR", "VALIDATOR_FEE"]),
    );
  }),
  rule("E11.9", "MUST", "returns the price at the time of the reward in the requested currency", async (api) => {
    const rich = await priced(api);
    for (const [at, currency] of CURRENCIES.entries()) {
      const rewards = await all(rich, `${ON_NODE}&currency=${currency}`);
      for (const { reward, endTimestamp } of rewards) {
        // Of two prices, an hour and a second before the newest end, the newest at or before the end counts.
        const value = endTimestamp >= newestEnd(api) - 1 ? `${at + 2}.5` : `${at + 1}`;
        expect(reward.historicalPrice).toEqual({ currencyCode: currency, value });
      }
      expect(new Set(rewards.map(({ reward }) => reward.historicalPrice.value)).size).toBe(2);
    }
    expect(await all(rich, ON_NODE)).toEqual(await all(rich, `${ON_NODE}&currency=usd`));
  }),
  rule("E11.10", "CHOICE", "omits an unknown price", async (api) => {
    for (const { reward } of await all(api, `${ON_NODE}&currency=jpy`))
      expect(reward).not.toHaveProperty("historicalPrice");
  }),
  rule("E11.11", "MUST", "in the hosted dialect the price is a number with the same digits", async (api) => {
    const rich = await priced(api);
    const { text } = await rich.get(`/hosted${PATH}?${ON_NODE}&currency=eur`);
    expect(text).toContain('"historicalPrice":{"currencyCode":"eur","value":3.5}');
    const contract = (await rich.get(`${PATH}?${ON_NODE}&currency=eur`)).text;
    expect(text).toBe(contract.replaceAll(/"value":"([\d.]+)"/g, '"value":$1'));
  }),
  rule("E11.12", "MUST", "refuses an unknown currency with 400", async (api) => {
    for (const bad of ["USD", "btc", "us%20d"])
      expect(await api.refusal(`${PATH}?${ON_NODE}&currency=${bad}`)).toEqual([
        400,
        `currency must be one of ${CURRENCIES.join(", ")}, got "${decodeURIComponent(bad)}"`,
      ]);
  }),
];

const newestEnd = (api: Api): number => Math.max(...expected(api, on(NODE)).map(([{ end }]) => end));

/** Asset ID of AVAX, from the node's stakes. */
function avaxOf(api: Api): string {
  return expected(api, on(NODE))[0]?.[1].assetId ?? "";
}

/** The stack with a price ID for AVAX and two prices in each currency. */
async function priced(api: Api): Promise<Api> {
  const newest = newestEnd(api);
  const put = "INSERT INTO prices VALUES ('coin-of-e11', $1, $2, $3) ON CONFLICT DO NOTHING";
  for (const [at, currency] of CURRENCIES.entries()) {
    await api.pool.query(put, [currency, newest - 3_600, String(at + 1)]);
    await api.pool.query(put, [currency, newest - 1, `${at + 2}.5`]);
    await api.pool.query(put, [currency, newest + 1_000, "1000"]);
  }
  const cChainId = factsOf(ALPHA).chains.find(({ alias }) => alias === "C")?.blockchainId;
  const evmChains = api.config.evmChains.map((chain) =>
    chain.blockchainId === cChainId
      ? { ...chain, networkToken: { ...chain.networkToken, priceId: "coin-of-e11" } }
      : chain,
  );
  return api.shared("prices of E11", () => api.restarted({ evmChains, nowMs: () => api.nowSeconds * 1_000 }));
}

/** All rules of E11. */
export const REWARD_RULES: readonly Rule[] = [
  ...FILTER_RULES,
  ...CONTENT_RULES,
  ...paginationRules(LIST),
  ...networkRules("E11", (network) => `/v1/networks/${network}/rewards?${ON_NODE}`),
  ...everyRouteRules({
    id: "E11",
    path: PATH,
    query: ON_NODE,
    units: 100,
    statements: 2,
    parameter: { name: "sortOrder", good: "desc", bad: "up" },
  }),
];
