import type { RecordedStaking } from "../support/recorded/recorded-stakings.ts";
import type { Api } from "./api.ts";
import { everyRouteRules } from "./every-route.ts";
import { networkRules } from "./primary-network.ts";
import { type Rule, rule } from "./rule.ts";
import {
  allOf,
  type Item,
  membersOf,
  NODE,
  OTHER_NODE,
  paid,
  recorded,
  running,
  STRANGER,
  statusOf,
} from "./stakers.ts";

const pathOf = (nodeId: string, network = "fuji"): string => `/v1/networks/${network}/validators/${nodeId}`;
const PATH = pathOf(NODE);
const STATUSES = ["completed", "active", "pending", "removed"];

const all = (api: Api, nodeId: string, query = "") => allOf(api, pathOf(nodeId), "validators", query);
const hashesOf = (items: readonly { readonly txHash?: string }[]) => items.map(({ txHash }) => txHash);

/** Validations of a node, latest start first. */
const expected = (api: Api, nodeId: string): RecordedStaking[] =>
  recorded(api)
    .stakings.filter((one) => one.kind === "VALIDATOR" && one.nodeId === nodeId)
    .toReversed();

const nodesOf = (api: Api) => [...new Set(recorded(api).stakings.map(({ nodeId }) => nodeId))];

const delegationsTo = (api: Api, { txHash }: RecordedStaking) =>
  recorded(api).stakings.filter(({ validation }) => validation?.txHash === txHash);

const sum = (amounts: readonly string[]) => String(amounts.reduce((total, one) => total + BigInt(one), 0n));

const LIST_RULES: readonly Rule[] = [
  rule("E12.1", "MUST", "lists every validation of a node on any subnet, latest start first", async (api) => {
    for (const node of nodesOf(api)) expect(hashesOf(await all(api, node))).toEqual(hashesOf(expected(api, node)));
    expect(new Set((await all(api, OTHER_NODE)).map(({ subnetId }) => subnetId)).size).toBeGreaterThan(1);
  }),
  rule("E12.2", "MUST", "validationStatus filters by status", async (api) => {
    for (const node of nodesOf(api))
      for (const status of STATUSES) {
        const found = await all(api, node, `&validationStatus=${status}`);
        expect(hashesOf(found)).toEqual(hashesOf(expected(api, node).filter((one) => statusOf(api, one) === status)));
        for (const { validationStatus } of found) expect(validationStatus).toBe(status);
      }
  }),
  rule("E12.3", "MUST", "refuses an unknown validationStatus with 400", async (api) => {
    for (const bad of ["Active", "inactive", "0"])
      expect(await api.refusal(`${PATH}?validationStatus=${bad}`)).toEqual([
        400,
        `validationStatus must be one of completed, active, pending, removed, got "${bad}"`,
      ]);
  }),
  rule("E12.4", "MUST", "sortOrder sets the direction by start time; the default is desc", async (api) => {
    const down = await all(api, NODE);
    expect(await all(api, NODE, "&sortOrder=desc")).toEqual(down);
    expect(await all(api, NODE, "&sortOrder=asc")).toEqual(down.toReversed());
    const starts = down.map(({ startTimestamp }) => startTimestamp as number);
    expect(starts).toEqual(starts.toSorted((one, other) => other - one));
  }),
  rule(
    "E12.5",
    "CHOICE",
    "returns an empty list for a node that never validated, and 400 for an invalid node ID",
    async (api) => {
      expect(await api.body(pathOf(STRANGER))).toEqual({ validators: [] });
      for (const bad of ["x", NODE.slice(7), NODE.toLowerCase(), `${NODE}x`, `${NODE},${OTHER_NODE}`, "%00", "a%2Fb"])
        expect(await api.refusal(pathOf(bad))).toEqual([
          400,
          expect.stringMatching(/^nodeId must be a node ID, as NodeID-…, got "/),
        ]);
    },
  ),
  rule("E12.6", "MUST", "nextPageToken leads through every validation once, for any page size", async (api) => {
    const count = expected(api, NODE).length;
    expect(count).toBeGreaterThan(4);
    for (const size of [1, 2, count - 1, count]) {
      const found: Item[] = [];
      let pages = 0;
      for (let token = ""; ; ) {
        const page: Item = await api.body<Item>(`${PATH}?pageSize=${size}${token}`);
        found.push(...page["validators"]);
        pages++;
        if (!("nextPageToken" in page)) break;
        token = `&pageToken=${page["nextPageToken"]}`;
      }
      expect([pages, hashesOf(found)]).toEqual([Math.ceil(count / size), hashesOf(expected(api, NODE))]);
    }
  }),
  rule("E12.7", "CHOICE", "refuses a page token with another node, status or order with 400", async (api) => {
    const { nextPageToken } = await api.body<Item>(`${PATH}?pageSize=1`);
    expect((await api.get(`${pathOf(NODE, "testnet")}?pageSize=2&pageToken=${nextPageToken}`)).status).toBe(200);
    for (const other of [`${pathOf(OTHER_NODE)}?`, `${PATH}?validationStatus=completed&`, `${PATH}?sortOrder=asc&`])
      expect(await api.refusal(`${other}pageToken=${nextPageToken}`)).toEqual([
        400,
        expect.stringMatching(/^the page token or cursor must be /),
      ]);
    for (const size of ["0", "101", "ten"])
      expect(await api.refusal(`${PATH}?pageSize=${size}`)).toEqual([
        400,
        expect.stringMatching(/^(the page size|pageSize) must be /),
      ]);
  }),
];

/** Fields of every validation, and optional ones. */
const ALWAYS = [
  "txHash",
  "nodeId",
  "subnetId",
  "amountStaked",
  "startTimestamp",
  "endTimestamp",
  "delegatorCount",
  "amountDelegated",
  "validationStatus",
];
const OF_STATUS: Readonly<Record<string, readonly string[]>> = {
  completed: ["rewards"],
  active: ["stakePercentage", "uptimePerformance", "potentialRewards", "validatorHealth"],
  removed: ["removeTxHash", "removeTimestamp"],
};

const CONTENT_RULES: readonly Rule[] = [
  rule("E12.8", "MUST", "shows each validation as in its staking transaction", async (api) => {
    for (const node of nodesOf(api))
      for (const [at, validation] of (await all(api, node)).entries()) {
        const one = expected(api, node)[at] as RecordedStaking;
        const delegations = delegationsTo(api, one);
        expect(validation).toMatchObject({
          txHash: one.txHash,
          nodeId: node,
          subnetId: one.subnetId,
          endTimestamp: one.end,
          amountStaked: one.isPermissioned ? "0" : one.weight,
          validationStatus: statusOf(api, one),
          delegatorCount: delegations.length,
          amountDelegated: sum(delegations.map(({ weight }) => weight)),
        });
        expect(validation["blsCredentials"]?.publicKey ?? null).toBe(one.blsPublicKey);
      }
  }),
  rule("E12.9", "MUST", "has exactly the members of its status", async (api) => {
    const seen = new Set<string>();
    for (const node of nodesOf(api))
      for (const [at, validation] of (await all(api, node)).entries()) {
        const { isPermissioned, blsPublicKey } = expected(api, node)[at] as RecordedStaking;
        const { validationStatus } = validation;
        const some = [isPermissioned ? [] : "delegationFee", blsPublicKey === null ? [] : "blsCredentials"].flat();
        expect(membersOf(validation)).toEqual([...ALWAYS, ...some, ...(OF_STATUS[validationStatus] ?? [])].sort());
        seen.add(validationStatus);
      }
    expect([...seen].sort()).toEqual(["active", "completed", "removed"]);
  }),
  rule("E12.10", "CHOICE", "delegationFee is in percent without trailing zeros", async (api) => {
    const fees = new Set<string>();
    for (const node of nodesOf(api))
      for (const [at, { delegationFee }] of (await all(api, node)).entries()) {
        const { shares } = expected(api, node)[at] as RecordedStaking;
        expect(delegationFee).toBe(shares === null ? undefined : String(shares / 10_000));
        if (delegationFee) fees.add(delegationFee);
      }
    expect(fees.size).toBeGreaterThan(3);
  }),
  rule("E12.11", "MUST", "a completed validation shows its rewards, 0 if it was aborted", async (api) => {
    let aborted = 0;
    for (const node of nodesOf(api))
      for (const [at, { rewards, validationStatus }] of (await all(api, node)).entries()) {
        if (validationStatus !== "completed") continue;
        const one = expected(api, node)[at] as RecordedStaking;
        expect(rewards).toEqual({
          validationRewardAmount: paid(one, "VALIDATOR"),
          delegationRewardAmount: paid(one, "VALIDATOR_FEE"),
          ...(one.isPermissioned ? {} : { rewardAddresses: one.owners, rewardTxHash: one.rewardTxHash }),
        });
        if (one.rewardTxHash !== null && !one.isCommitted) aborted++;
      }
    expect(aborted).toBeGreaterThan(2);
  }),
  rule("E12.12", "MUST", "an active validation shows its potential rewards, as the node does", async (api) => {
    const nodes = running(api);
    let active = 0;
    for (const node of nodesOf(api))
      for (const validation of await all(api, node, "&validationStatus=active")) {
        const { txHash, potentialRewards, stakePercentage, startTimestamp } = validation;
        const recorded = nodes.get(txHash);
        expect(recorded?.startTime).toBe(String(startTimestamp));
        expect(potentialRewards.validationRewardAmount).toBe(recorded?.potentialReward ?? "0");
        expect(stakePercentage > 0 && stakePercentage <= 100).toBe(true);
        active++;
      }
    expect(active).toBeGreaterThan(5);
  }),
  rule("E12.13", "CHOICE", "uptime and health are 0 while the indexed node does not respond", async (api) => {
    const [validation] = await all(api, NODE, "&validationStatus=active");
    expect(validation).toMatchObject({
      uptimePerformance: 0,
      validatorHealth: {
        reachabilityPercent: 0,
        benchedPChainRequestsPercent: 0,
        benchedXChainRequestsPercent: 0,
        benchedCChainRequestsPercent: 0,
      },
    });
  }),
  rule("E12.14", "MUST", "a removed validation shows the removing transaction and its time", async (api) => {
    const times = new Map(api.primary.P.map(({ txHash, blockTimestamp }) => [txHash, blockTimestamp]));
    let count = 0;
    for (const node of nodesOf(api))
      for (const { txHash, removeTxHash, removeTimestamp } of await all(api, node, "&validationStatus=removed")) {
        const one = expected(api, node).find((staking) => staking.txHash === txHash);
        expect([removeTxHash, removeTimestamp]).toEqual([one?.removeTxHash, times.get(removeTxHash)]);
        count++;
      }
    expect(count).toBe(2);
  }),
  rule("E12.15", "MUST", "in the hosted dialect geolocation is null, as typed clients require", async (api) => {
    const { text, body } = await api.get(`/hosted${PATH}`);
    for (const { geolocation } of (body as Item)["validators"]) expect(geolocation).toBeNull();
    expect(unhosted(text)).toBe((await api.get(PATH)).text);
  }),
];

const unhosted = (text: string): string => text.replaceAll(',"geolocation":null', "");

/** All rules of E12. */
export const VALIDATOR_RULES: readonly Rule[] = [
  ...LIST_RULES,
  ...CONTENT_RULES,
  ...networkRules("E12", (network) => pathOf(NODE, network)),
  ...everyRouteRules({
    id: "E12",
    path: PATH,
    units: 20,
    statements: 2,
    unhosted,
    parameter: { name: "validationStatus", good: "completed", bad: "up" },
  }),
];
