import { createHash } from "node:crypto";
import { formatId, parseIdText } from "../../core/formats/id-text.ts";
import type { NodeL1Validator } from "../support/recorded/node-stakers.ts";
import type { Api } from "./api.ts";
import { everyRouteRules } from "./every-route.ts";
import { type ListRoute, paginationRules } from "./pagination.ts";
import { networkRules } from "./primary-network.ts";
import { type Rule, rule } from "./rule.ts";
import { allOf, type Item, l1Validators, recorded, STRANGER, shownOwner } from "./stakers.ts";

const PATH = "/v1/networks/fuji/l1Validators";
const ALL = "&includeInactiveL1Validators=true";

type Known = NodeL1Validator & { readonly subnetID: string; readonly balance: string };

const all = (api: Api, query = "") => allOf(api, PATH, "validators", query);
const idsOf = (items: readonly Item[]) => items.map(({ validationId }) => validationId as string);
const sorted = (ids: readonly string[]) => [...ids].sort();
const hexOf = (id: string) => parseIdText(id) ?? "";

/** Validation IDs of the node's matching validators in its final state. */
const known = (api: Api, matches: (one: Known) => boolean = () => true) =>
  sorted(
    l1Validators(api)
      .filter(matches)
      .map(({ validationID }) => validationID),
  );
const isActive = ({ balance }: Known): boolean => balance !== "0";

/** Every validation that a transaction started, in chain order, from the node's JSON. */
function begun(api: Api): string[] {
  return api.primary.P.flatMap(({ txType, json }) => {
    if (txType === "ConvertSubnetToL1Tx")
      return (json["validators"] as unknown[]).map((_, index) => validationOf(String(json["subnetID"]), index));
    return txType === "RegisterL1ValidatorTx" ? [registered(String(json["message"]))] : [];
  });
}

/** SHA-256 of the subnet ID and the index in the transaction. */
function validationOf(subnetId: string, index: number): string {
  const place = Buffer.alloc(4);
  place.writeUInt32BE(index);
  return formatId(sha256(Buffer.concat([Buffer.from(hexOf(subnetId), "hex"), place])));
}

/** SHA-256 of the payload of the transaction's warp message, after its header and sender. */
function registered(message: string): string {
  const bytes = Buffer.from(message.slice(2), "hex");
  const call = bytes.subarray(42);
  const sender = call.readUInt32BE(6);
  const length = call.readUInt32BE(10 + sender);
  return formatId(sha256(call.subarray(14 + sender, 14 + sender + length)));
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const LIST: ListRoute = {
  id: "E16",
  path: `${PATH}?includeInactiveL1Validators=true`,
  spellings: [
    "/v1/networks/testnet/l1Validators?includeInactiveL1Validators=true",
    `${PATH}?subnetId=&nodeId=&includeInactiveL1Validators=true`,
  ],
  others: {
    includeInactiveL1Validators: PATH,
    nodeId: `${PATH}?includeInactiveL1Validators=true&nodeId=${STRANGER}`,
    subnetId: `${PATH}?includeInactiveL1Validators=true&subnetId=11111111111111111111111111111111LpoYY`,
  },
  items: "validators",
  key: ({ validationId }) => String(validationId),
  expected: (api) => begun(api).toReversed(),
};

const FILTER_RULES: readonly Rule[] = [
  rule("E16.1", "MUST", "lists the active validators of all L1s by default", async (api) => {
    const active = sorted(known(api, isActive));
    expect(active.length).toBeGreaterThan(8);
    for (const query of ["", "&includeInactiveL1Validators=false"])
      expect(sorted(idsOf(await all(api, query)))).toEqual(active);
  }),
  rule("E16.2", "MUST", "includeInactiveL1Validators adds inactive and removed validators", async (api) => {
    const every = begun(api);
    expect(every.length).toBeGreaterThan(known(api).length);
    expect(idsOf(await all(api, ALL))).toEqual(every.toReversed());
  }),
  rule(
    "E16.3",
    "CHOICE",
    "l1ValidationId finds an active or inactive validator; a removed one only with the flag",
    async (api) => {
      for (const id of begun(api)) {
        const isKnown = known(api).includes(id);
        for (const form of [id, hexOf(id), `0x${hexOf(id)}`]) {
          expect(idsOf(await all(api, `&l1ValidationId=${form}`))).toEqual(isKnown ? [id] : []);
          expect(idsOf(await all(api, `&l1ValidationId=${form}${ALL}`))).toEqual([id]);
        }
      }
    },
  ),
  rule("E16.4", "MUST", "nodeId filters by node", async (api) => {
    for (const node of new Set(l1Validators(api).map(({ nodeID }) => nodeID))) {
      const own = (one: Known) => one.nodeID === node;
      expect(sorted(idsOf(await all(api, `&nodeId=${node}`)))).toEqual(known(api, (one) => own(one) && isActive(one)));
    }
    expect(await all(api, `&nodeId=${STRANGER}`)).toEqual([]);
  }),
  rule("E16.5", "MUST", "subnetId filters by L1, as CB58 or hex, and can be repeated", async (api) => {
    const subnets = [...new Set(l1Validators(api).map(({ subnetID }) => subnetID))];
    expect(subnets.length).toBeGreaterThan(2);
    for (const some of [...subnets.map((one) => [one]), subnets.slice(1), [...subnets, ...subnets]])
      for (const form of [(id: string) => id, hexOf, (id: string) => `0x${hexOf(id)}`]) {
        const query = some.map((one) => `&subnetId=${form(one)}`).join("");
        const own = (one: Known) => some.includes(one.subnetID) && isActive(one);
        expect(sorted(idsOf(await all(api, query)))).toEqual(known(api, own));
      }
    expect(await all(api, "&subnetId=11111111111111111111111111111111LpoYY")).toEqual([]);
  }),
  rule("E16.6", "CHOICE", "all given filters must match", async (api) => {
    for (const one of l1Validators(api)) {
      const { validationID, nodeID, subnetID } = one;
      const other = l1Validators(api).find((another) => another.subnetID !== subnetID)?.subnetID;
      const found = async (query: string) => idsOf(await all(api, query));
      const id = `&l1ValidationId=${validationID}`;
      expect(await found(`${id}&nodeId=${nodeID}&subnetId=${subnetID}&subnetId=${other}`)).toEqual([validationID]);
      expect(await found(`${id}&subnetId=${other}`)).toEqual([]);
      expect(await found(`${id}&nodeId=${STRANGER}`)).toEqual([]);
      const both = known(api, (same) => same.nodeID === nodeID && same.subnetID === subnetID && isActive(same));
      expect(sorted(await found(`&nodeId=${nodeID}&subnetId=${subnetID}`))).toEqual(both);
    }
  }),
  rule("E16.7", "MUST", "refuses a malformed filter with 400 and names it in the message", async (api) => {
    for (const [query, message] of [
      ["l1ValidationId=x", /^l1ValidationId must be a 32-byte id, as CB58 or hex, got "x"$/],
      ["subnetId=x", /^subnetId must be a 32-byte id, as CB58 or hex, got "x"$/],
      ["nodeId=x", /^nodeId must be a node ID, as NodeID-…, got "x"$/],
      ["includeInactiveL1Validators=yes", /^includeInactiveL1Validators must be true or false, got "yes"$/],
    ] as const)
      expect(await api.refusal(`${PATH}?${query}`)).toEqual([400, expect.stringMatching(message)]);
  }),
];

const CONTENT_RULES: readonly Rule[] = [
  rule(
    "E16.8",
    "MUST",
    "shows each validator as the node does, with integers for weight and remaining balance",
    async (api) => {
      const found = new Map((await all(api, ALL)).map((one) => [one["validationId"], one]));
      for (const one of l1Validators(api)) {
        const { blsCredentials, ...fields } = found.get(one.validationID) as Item;
        expect(fields).toEqual({
          validationId: one.validationID,
          validationIdHex: `0x${hexOf(one.validationID)}`,
          nodeId: one.nodeID,
          subnetId: one.subnetID,
          weight: Number(one.weight),
          remainingBalance: Number(one.balance),
          creationTimestamp: Number(one.startTime),
          remainingBalanceOwner: shownOwner(one.remainingBalanceOwner),
          deactivationOwner: shownOwner(one.deactivationOwner),
        });
        expect(blsCredentials).toEqual({
          publicKey: one.publicKey,
          proofOfPossession: expect.stringMatching(/^0x\w{192}$/),
        });
      }
    },
  ),
  rule("E16.9", "MUST", "a removed validator has weight 0 and balance 0", async (api) => {
    const removed = (await all(api, ALL)).filter(({ validationId }) => !known(api).includes(validationId));
    expect(removed.length).toBeGreaterThan(0);
    for (const one of removed) expect(one).toMatchObject({ weight: 0, remainingBalance: 0 });
  }),
  rule(
    "E16.10",
    "MUST",
    "blockHeight is the height of the last indexed P-Chain block as a string, even for an empty list",
    async (api) => {
      const [{ result } = { result: null }] = recorded(api).last.answers("platform.getHeight");
      const { height } = result as { height: string };
      for (const query of ["", `?nodeId=${STRANGER}`, "?pageSize=1"])
        expect((await api.body<Item>(PATH + query))["blockHeight"]).toBe(height);
    },
  ),
];

/** All rules of E16. */
export const L1_VALIDATOR_RULES: readonly Rule[] = [
  ...FILTER_RULES,
  ...CONTENT_RULES,
  ...paginationRules(LIST),
  ...networkRules("E16", (network) => `/v1/networks/${network}/l1Validators`),
  ...everyRouteRules({
    id: "E16",
    path: PATH,
    units: 20,
    statements: 1,
    parameter: { name: "includeInactiveL1Validators", good: "true", bad: "maybe" },
  }),
];
