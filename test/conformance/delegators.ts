import type { Api } from "./api.ts";
import { everyRouteRules } from "./every-route.ts";
import { type ListRoute, paginationRules } from "./pagination.ts";
import { networkRules } from "./primary-network.ts";
import { type Rule, rule } from "./rule.ts";
import {
  allOf,
  type Item,
  membersOf,
  NODE,
  OTHER_NODE,
  type PlacedStaking,
  paid,
  recorded,
  running,
  STRANGER,
  statusOf,
} from "./stakers.ts";

const PATH = "/v1/networks/fuji/delegators";

/** Matching delegations, latest start first. */
const expected = (api: Api, matches: (one: PlacedStaking) => boolean = () => true): PlacedStaking[] =>
  recorded(api)
    .stakings.filter((one) => one.kind === "DELEGATOR" && matches(one))
    .toReversed();

const all = (api: Api, query = "") => allOf(api, PATH, "delegators", query);
const hashesOf = (items: readonly { readonly txHash?: string }[]) => items.map(({ txHash }) => txHash);
const ownersOf = (api: Api) => [...new Set(expected(api).flatMap(({ owners }) => owners))];
const nodesOf = (api: Api) => [...new Set(expected(api).map(({ nodeId }) => nodeId))];

const LIST: ListRoute = {
  id: "E13",
  path: PATH,
  spellings: ["/v1/networks/testnet/delegators", `${PATH}?nodeIds=&rewardAddresses=`],
  others: {
    nodeIds: `${PATH}?nodeIds=${NODE}`,
    rewardAddresses: `${PATH}?rewardAddresses=custom1ptj7uyt5e2segurd6tpjxvhtqxp404280mtke3`,
    delegationStatus: `${PATH}?delegationStatus=completed`,
    sortOrder: `${PATH}?sortOrder=asc`,
  },
  items: "delegators",
  key: ({ txHash }) => String(txHash),
  expected: (api) => hashesOf(expected(api)) as string[],
};

const FILTER_RULES: readonly Rule[] = [
  rule("E13.1", "MUST", "rewardAddresses filters by reward owners, without duplicates", async (api) => {
    expect(ownersOf(api).length).toBeGreaterThan(3);
    for (const owner of ownersOf(api)) {
      const own = hashesOf(expected(api, ({ owners }) => owners.includes(owner)));
      for (const prefix of ["", "P-", "X-"])
        expect(hashesOf(await all(api, `&rewardAddresses=${prefix}${owner}`))).toEqual(own);
    }
    expect(hashesOf(await all(api, `&rewardAddresses=${ownersOf(api).join(",")}`))).toEqual(hashesOf(expected(api)));
  }),
  rule("E13.2", "MUST", "nodeIds filters by nodes", async (api) => {
    for (const nodes of [...nodesOf(api).map((node) => [node]), nodesOf(api).slice(1)]) {
      const own = expected(api, ({ nodeId }) => nodes.includes(nodeId));
      expect(hashesOf(await all(api, `&nodeIds=${nodes.join("%2C")}`))).toEqual(hashesOf(own));
    }
    expect(await all(api, `&nodeIds=${STRANGER}`)).toEqual([]);
  }),
  rule("E13.3", "MUST", "delegationStatus filters by status", async (api) => {
    for (const status of ["completed", "active", "pending"]) {
      const found = await all(api, `&delegationStatus=${status}`);
      expect(hashesOf(found)).toEqual(hashesOf(expected(api, (one) => statusOf(api, one) === status)));
      for (const { delegationStatus } of found) expect(delegationStatus).toBe(status);
    }
  }),
  rule("E13.4", "CHOICE", "all given filters must match", async (api) => {
    let found = 0;
    for (const owner of ownersOf(api))
      for (const node of [NODE, OTHER_NODE])
        for (const status of ["completed", "active"]) {
          const query = `&rewardAddresses=${owner}&nodeIds=${node}&delegationStatus=${status}`;
          const own = expected(
            api,
            (one) => one.owners.includes(owner) && one.nodeId === node && statusOf(api, one) === status,
          );
          expect(hashesOf(await all(api, query))).toEqual(hashesOf(own));
          found += own.length;
        }
    expect(found).toBeGreaterThan(10);
  }),
  rule("E13.5", "MUST", "sortOrder sets the direction by start time; the default is desc", async (api) => {
    const down = await all(api);
    expect(await all(api, "&sortOrder=desc")).toEqual(down);
    for (const query of ["", "&delegationStatus=completed", `&nodeIds=${NODE}`])
      expect(await all(api, `&sortOrder=asc${query}`)).toEqual((await all(api, query)).toReversed());
  }),
  rule("E13.6", "MUST", "refuses a malformed filter with 400 and names it in the message", async (api) => {
    for (const [query, message] of [
      ["delegationStatus=removed", /^delegationStatus must be one of completed, active, pending, got "removed"$/],
      ["nodeIds=x", /^nodeIds must be a node ID, as NodeID-…, got "x"$/],
      [`nodeIds=${NODE},`, /^nodeIds must be a node ID, as NodeID-…, got ""$/],
      ["rewardAddresses=x", /^rewardAddresses must be Bech32 addresses of fuji .+, got "x"$/],
    ] as const)
      expect(await api.refusal(`${PATH}?${query}`)).toEqual([400, expect.stringMatching(message)]);
  }),
];

const ALWAYS = [
  "txHash",
  "nodeId",
  "rewardAddresses",
  "amountDelegated",
  "delegationFee",
  "startTimestamp",
  "endTimestamp",
  "grossReward",
  "netReward",
  "delegationStatus",
];
const ESTIMATED = ["estimatedGrossReward", "estimatedNetReward"];

const CONTENT_RULES: readonly Rule[] = [
  rule(
    "E13.7",
    "MUST",
    "shows each delegation as in its staking transaction, with the validator's fee",
    async (api) => {
      for (const [at, delegation] of (await all(api)).entries()) {
        const one = expected(api)[at] as PlacedStaking;
        expect(delegation).toMatchObject({
          txHash: one.txHash,
          nodeId: one.nodeId,
          rewardAddresses: one.owners,
          amountDelegated: one.weight,
          startTimestamp: one.start,
          endTimestamp: one.end,
          delegationStatus: statusOf(api, one),
          delegationFee: String(Number(one.validation?.shares) / 10_000),
        });
      }
    },
  ),
  rule("E13.8", "MUST", "has estimated rewards beside gross and net rewards until it is completed", async (api) => {
    for (const delegation of await all(api)) {
      const some = delegation["delegationStatus"] === "completed" ? [] : ESTIMATED;
      expect(membersOf(delegation)).toEqual([...ALWAYS, ...some].sort());
      if (some.length > 0)
        expect([delegation["estimatedGrossReward"], delegation["estimatedNetReward"]]).toEqual([
          delegation["grossReward"],
          delegation["netReward"],
        ]);
    }
  }),
  rule(
    "E13.9",
    "MUST",
    "netReward is the amount paid to the owners; grossReward adds the validator's share",
    async (api) => {
      for (const { txHash, grossReward, netReward } of await all(api, "&delegationStatus=completed")) {
        const one = expected(api).find((staking) => staking.txHash === txHash) as PlacedStaking;
        expect(netReward).toBe(paid(one, "DELEGATOR"));
        const kept = BigInt(1_000_000 - Number(one.validation?.shares));
        expect((kept * BigInt(grossReward)) / 1_000_000n).toBe(BigInt(netReward));
      }
    },
  ),
  rule("E13.10", "CHOICE", "an aborted delegation has rewards of 0", async (api) => {
    const aborted = expected(api, ({ rewardTxHash, isCommitted }) => rewardTxHash !== null && !isCommitted);
    expect(aborted.length).toBeGreaterThan(5);
    const found = new Map((await all(api)).map((one) => [one["txHash"], one]));
    for (const { txHash } of aborted)
      expect(found.get(txHash)).toMatchObject({ grossReward: "0", netReward: "0", delegationStatus: "completed" });
  }),
  rule(
    "E13.11",
    "MUST",
    "an active delegation has the node's potential reward as gross, and its part as net",
    async (api) => {
      const nodes = running(api);
      const active: Item[] = await all(api, "&delegationStatus=active");
      expect(active.length).toBeGreaterThan(2);
      for (const { txHash, estimatedGrossReward, estimatedNetReward, delegationFee } of active) {
        expect(estimatedGrossReward).toBe(nodes.get(txHash)?.potentialReward);
        const kept = BigInt(1_000_000 - Number(delegationFee) * 10_000);
        expect(BigInt(estimatedNetReward)).toBe((kept * BigInt(estimatedGrossReward)) / 1_000_000n);
      }
    },
  ),
];

/** All rules of E13. */
export const DELEGATOR_RULES: readonly Rule[] = [
  ...FILTER_RULES,
  ...CONTENT_RULES,
  ...paginationRules(LIST),
  ...networkRules("E13", (network) => `/v1/networks/${network}/delegators`),
  ...everyRouteRules({
    id: "E13",
    path: PATH,
    units: 20,
    statements: 1,
    parameter: { name: "delegationStatus", good: "completed", bad: "up" },
  }),
];
