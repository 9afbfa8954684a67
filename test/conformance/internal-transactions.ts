import { getAddress } from "viem";
import type { FactRow } from "../support/oracle/fact-row.ts";
import type { Api } from "./api.ts";
import { chainIdRules } from "./chain-id.ts";
import { everyRouteRules } from "./every-route.ts";
import { type ListRoute, paginationRules } from "./pagination.ts";
import { factsOf, listedInternals, shownAddress, shownInternal } from "./recorded-facts.ts";
import { type Rule, rule } from "./rule.ts";

/**
 * The contract of the recorded C-Chain with the most kinds of calls: in three blocks, reverted ones and one to itself
 * too.
 */
const CONTRACT = "0x8294da8adfd6a2810147e314843a2a6983270c94";
const OTHER = "0x5047b5d224bb868fc0dc9d867e166cb294ee75d0";
/** It called itself 391 times in one transaction. */
const SELF = "0x554a1eb5701f9b3c8daf4ed01e28b96b24317f03";

const pathOf = (chainId: string | number, address: string) =>
  `/v1/chains/${chainId}/addresses/${address}/transactions:listInternals`;
const PATH = pathOf(760011, CONTRACT);

interface Side {
  readonly address: string;
  readonly name?: string;
  readonly symbol?: string;
  readonly decimals?: number;
}

interface Internal {
  readonly blockNumber: string;
  readonly blockTimestamp: number;
  readonly blockHash: string;
  readonly txHash: string;
  readonly from: Side;
  readonly to: Side;
  readonly internalTxType: string;
  readonly value: string;
  readonly isReverted: boolean;
  readonly gasUsed: string;
  readonly gasLimit: string;
}

interface InternalPage {
  readonly nextPageToken?: string;
  readonly transactions: readonly Internal[];
}

/** The expected internal transactions of an address, newest first. */
function expectedOf(chainId: number, address: string) {
  const isSide = (row: FactRow) => row["from_address"] === address || row["to_address"] === address;
  return listedInternals(factsOf(chainId)).filter(isSide).reverse().map(expectedItem);
}

function expectedItem(row: FactRow) {
  const { block_number: blockNumber, block_timestamp, block_hash: blockHash, tx_hash: txHash } = row;
  return { blockNumber, blockTimestamp: Number(block_timestamp), blockHash, txHash, ...shownInternal(row) };
}

/** An internal transaction without descriptors of addresses. */
const bare = ({ from, to, ...rest }: Internal) => ({ ...rest, from: from.address, to: to.address });

/** The remaining gas falls with each call of a transaction, so no two calls are equal. */
const keyOf = (item: { readonly [name: string]: unknown }): string =>
  ["txHash", "gasLimit", "gasUsed", "value", "isReverted"].map((name) => item[name]).join("/");

const LIST: ListRoute = {
  id: "E10",
  path: PATH,
  spellings: [pathOf(760011, getAddress(CONTRACT))],
  others: {
    address: pathOf(760011, OTHER),
    chain: pathOf(760012, CONTRACT),
    startBlock: `${PATH}?startBlock=5`,
    endBlock: `${PATH}?endBlock=40`,
  },
  items: "transactions",
  key: keyOf,
  expected: () => expectedOf(760011, CONTRACT).map(keyOf),
};

/** All items of a list, read with the largest page size. */
async function all(api: Api, path: string, query = ""): Promise<Internal[]> {
  const found: Internal[] = [];
  for (let token = ""; ; ) {
    const page = await api.body<InternalPage>(`${path}?pageSize=100${query}${token}`);
    found.push(...page.transactions);
    if (!page.nextPageToken) return found;
    token = `&pageToken=${page.nextPageToken}`;
  }
}

const numbers = () => expectedOf(760011, CONTRACT).map(({ blockNumber }) => Number(blockNumber));
const between = (from: number, to: number) =>
  expectedOf(760011, CONTRACT).filter(({ blockNumber }) => Number(blockNumber) >= from && Number(blockNumber) < to);

const RANGE_RULES: readonly Rule[] = [
  rule("E10.1", "MUST", "startBlock is inclusive and endBlock is exclusive", async (api) => {
    const [first = 0, second = 0, last = 0] = [...new Set(numbers())].reverse();
    const found = await all(api, PATH, `&startBlock=${first}&endBlock=${last}`);
    expect(found.map(bare)).toEqual(between(first, last));
    expect([found[0]?.blockNumber, found.at(-1)?.blockNumber]).toEqual([String(second), String(first)]);
    expect(await all(api, PATH, `&startBlock=${first}&endBlock=${first + 1}`)).not.toEqual([]);
  }),
  rule("E10.2", "MUST", "without endBlock the range ends at the most recent block", async (api) => {
    const newest = Math.max(...numbers());
    expect((await all(api, PATH, `&startBlock=${newest}`)).map(bare)).toEqual(between(newest, Infinity));
  }),
  rule("E10.3", "MUST", "without startBlock the range starts at genesis", async (api) => {
    const oldest = Math.min(...numbers());
    expect((await all(api, PATH, `&endBlock=${oldest + 1}`)).map(bare)).toEqual(between(0, oldest + 1));
    expect(await all(api, PATH, "&startBlock=0")).toEqual(await all(api, PATH));
  }),
  rule("E10.4", "CHOICE", "returns an empty list for an empty range or a range beyond the head", async (api) => {
    for (const query of ["&startBlock=20&endBlock=20", "&startBlock=30&endBlock=20", "&startBlock=235", "&endBlock=0"])
      expect(await all(api, PATH, query)).toEqual([]);
  }),
  rule("E10.5", "CHOICE", "accepts block numbers far beyond the head of any chain", async (api) => {
    for (const huge of [2n ** 53n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n, 10n ** 77n]) {
      expect(await all(api, PATH, `&startBlock=${huge}`)).toEqual([]);
      expect(await all(api, PATH, `&endBlock=${huge}`)).toHaveLength(numbers().length);
    }
  }),
  rule("E10.6", "CHOICE", "refuses a block number that is not decimal digits with 400", async (api) => {
    for (const name of ["startBlock", "endBlock"]) {
      for (const bad of ["1e%2B21", "1e3", "1.5", "-1", "0x10", "latest", "%2B1", "1%200"])
        expect(await api.refusal(`${PATH}?${name}=${bad}`)).toEqual([
          400,
          expect.stringMatching(`^${name} must be a non-negative integer, got "`),
        ]);
      expect(await api.refusal(`${PATH}?${name}=${"9".repeat(79)}`)).toEqual([
        400,
        `${name} must have at most 78 digits, got "${"9".repeat(79)}"`,
      ]);
    }
  }),
];

const CONTENT_RULES: readonly Rule[] = [
  rule(
    "E10.7",
    "MUST",
    "lists exactly the calls and creations from and to an address in the node's call trees",
    async (api) => {
      for (const chainId of [760011, 760012]) {
        const rows = listedInternals(factsOf(chainId));
        const addresses = new Set(rows.flatMap((row) => [row["from_address"], row["to_address"]]).filter(isAddress));
        expect(addresses.size).toBeGreaterThan(40);
        for (const address of addresses) {
          const found = await all(api, pathOf(chainId, address));
          expect(found.map(bare)).toEqual(expectedOf(chainId, address));
        }
      }
    },
  ),
  rule(
    "E10.8",
    "MUST",
    "lists only creations and CALL and CALLCODE with value; no SELFDESTRUCT and no outermost call",
    async (api) => {
      const { actions, evm_internal_transactions } = factsOf(760011);
      const destroyed = evm_internal_transactions.filter(({ opcode }) => opcode === "SELFDESTRUCT");
      expect(destroyed.length).toBeGreaterThan(4);
      for (const { from_address: address } of destroyed)
        for (const { internalTxType, value } of await all(api, pathOf(760011, String(address))))
          expect(/^(CALL|CALLCODE)$/.test(internalTxType) ? value !== "0" : /^CREATE/.test(internalTxType)).toBe(true);
      const plain = actions.get("evm-native to a new address");
      const sender = factsOf(760011).evm_transactions.find(({ tx_hash }) => tx_hash === plain?.txID)?.["from_address"];
      const listed = await all(api, pathOf(760011, String(sender)));
      expect(listed.filter(({ txHash }) => txHash === plain?.txID)).toEqual([]);
    },
  ),
  rule("E10.9", "CHOICE", "lists a call from an address to itself once", async (api) => {
    const calls = await all(api, pathOf(760011, SELF));
    expect(calls).toHaveLength(391);
    expect(new Set(calls.map(({ from, to }) => from.address === to.address))).toEqual(new Set([true]));
  }),
  rule(
    "E10.10",
    "CHOICE",
    "marks calls that were reverted, by their own failure or that of a surrounding call",
    async (api) => {
      const txID = (label: string) => factsOf(760011).actions.get(label)?.txID;
      const calls = await all(api, PATH);
      const of = (label: string) => calls.filter(({ txHash }) => txHash === txID(label));
      for (const label of ["evm-calls: success under a reverted parent", "evm-calls: inner revert with value"])
        expect(of(label).map(({ isReverted }) => isReverted)).toContain(true);
      expect(of("evm-calls: three levels of value").map(({ isReverted }) => isReverted)).not.toContain(true);
    },
  ),
  rule(
    "E10.11",
    "CHOICE",
    "a failed creation has the zero address as recipient, because nodes name none",
    async (api) => {
      const failed = listedInternals(factsOf(760011)).filter(({ to_address }) => to_address === null);
      expect(failed.length).toBeGreaterThan(3);
      for (const row of failed) {
        const found = await all(api, pathOf(760011, String(row["from_address"])));
        expect(found.map(bare)).toContainEqual({ ...expectedItem(row), to: shownAddress(null), isReverted: true });
      }
      expect(await all(api, pathOf(760011, shownAddress(null)))).toEqual([]);
    },
  ),
  rule("E10.12", "MUST", "amounts, gas and block numbers are strings, timestamps integers", async (api) => {
    for (const call of await all(api, PATH)) {
      const { blockNumber, value, gasUsed, gasLimit, blockTimestamp, isReverted } = call;
      expect([blockNumber, value, gasUsed, gasLimit].every((text) => typeof text === "string")).toBe(true);
      expect([Number.isSafeInteger(blockTimestamp), typeof isReverted]).toEqual([true, "boolean"]);
    }
  }),
];

const isAddress = (address: string | null | undefined): address is string => typeof address === "string";

const ADDRESS_RULES: readonly Rule[] = [
  rule("E10.13", "CHOICE", "accepts an address in any letter case, even with a wrong checksum", async (api) => {
    const { text } = await api.get(PATH);
    const mixed = [...CONTRACT.slice(2)].map((digit, at) => (at % 2 ? digit.toUpperCase() : digit)).join("");
    for (const same of [getAddress(CONTRACT), `0x${CONTRACT.slice(2).toUpperCase()}`, `0x${mixed}`])
      expect((await api.get(pathOf(760011, same))).text).toBe(text);
  }),
  rule("E10.14", "CHOICE", "writes addresses with their EIP-55 checksum", async (api) => {
    for (const { from, to } of await all(api, PATH))
      for (const { address } of [from, to]) expect(address).toBe(getAddress(address));
  }),
  rule("E10.15", "CHOICE", "refuses an invalid address with 400", async (api) => {
    for (const bad of ["0x12", CONTRACT.slice(2), `${CONTRACT}0`, "fuji1abc", "a%2Fb", "%00"])
      expect(await api.refusal(pathOf(760011, bad))).toEqual([
        400,
        expect.stringMatching(/^address must be 0x and 40 hex digits, got "/),
      ]);
  }),
  rule("E10.16", "CHOICE", "returns an empty list for an address without internal transactions", async (api) => {
    expect(await api.body(pathOf(760011, `0x${"1".repeat(40)}`))).toEqual({ transactions: [] });
  }),
  rule("E10.17", "CHOICE", "returns name and symbol of a sender or recipient that is a token", async (api) => {
    const { evm_deployments, erc20_tokens } = factsOf(760011);
    const isMade = ({ address }: FactRow) =>
      evm_deployments.some((deployment) => deployment["address"] === address && deployment["trace_index"] !== "0");
    const known = erc20_tokens.filter(isMade).filter(({ address }) => api.c.token(String(address)));
    expect(known.length).toBeGreaterThan(2);
    for (const { address } of known) {
      const [created] = await all(api, pathOf(760011, String(address)));
      expect(created?.to).toEqual({ address: shownAddress(address), ...api.c.token(String(address)) });
    }
  }),
];

export const INTERNAL_TRANSACTION_RULES: readonly Rule[] = [
  ...RANGE_RULES,
  ...CONTENT_RULES,
  ...ADDRESS_RULES,
  ...paginationRules(LIST),
  ...chainIdRules("E10", (chainId) => pathOf(chainId, CONTRACT)),
  ...everyRouteRules({
    id: "E10",
    path: PATH,
    units: 20,
    statements: 2,
    parameter: { name: "startBlock", good: "20", bad: "x" },
  }),
];
