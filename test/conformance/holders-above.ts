import { getAddress } from "viem";
import { isFullRun } from "../support/full.ts";
import {
  expectedHoldersAbove,
  type TimeFrame,
  type TokenHistory,
  tokenHistory,
} from "../support/oracle/token-holders-oracle.ts";
import { createRandomIntegers } from "../support/random.ts";
import type { Api } from "./api.ts";
import { keylessChainIdRules } from "./chain-id.ts";
import { everyRouteRules } from "./every-route.ts";
import { factsOf } from "./recorded-facts.ts";
import { type Rule, rule } from "./rule.ts";

/** The token with the most holders, whose amounts are above 2^64. */
const TOKEN = "0xf9bfb6ee4c65e51ccac3b9e13fd879c11be9e430";
const pathOf = (chainId: string | number, token = TOKEN) => `/v2/chains/${chainId}/contracts/${token}/balances`;
const PATH = `${pathOf(760011)}?threshold=0`;

interface Page {
  readonly addresses: readonly { readonly address: string; readonly sortKey: string }[];
  readonly nextPageToken?: string;
}

/** A page with the digits of each sortKey. */
async function pageAt(api: Api, path: string): Promise<Page> {
  const { status, text } = await api.get(path);
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return JSON.parse(text.replaceAll(/"sortKey":(-?\d+)/g, '"sortKey":"$1"'));
}

/** All addresses of a list, in pages of this size. */
async function listed(api: Api, path: string, pageSize: number): Promise<Page["addresses"]> {
  const found: Page["addresses"][number][] = [];
  for (let token = ""; ; ) {
    const page = await pageAt(api, `${path}&pageSize=${pageSize}${token}`);
    found.push(...page.addresses);
    if (page.nextPageToken === undefined) return found;
    expect(page.addresses).toHaveLength(pageSize);
    token = `&pageToken=${page.nextPageToken}`;
  }
}

function expected(history: TokenHistory, threshold: bigint, frame: TimeFrame): Page["addresses"] {
  return expectedHoldersAbove(history, threshold, frame).map(({ address, balance }) => ({
    address: getAddress(address),
    sortKey: balance.toString(),
  }));
}

const historyOf = (chainId: number, token: string): TokenHistory =>
  tokenHistory(token, factsOf(chainId).erc20_balances, factsOf(chainId).counted);

const tokensOf = (chainId: number): string[] => [
  ...new Set(factsOf(chainId).erc20_balances.map(({ token_address }) => token_address as string)),
];

function queryOf(threshold: bigint, { from, to }: TimeFrame): string {
  const start = from === undefined ? "" : `&startTimestamp=${from}`;
  return `threshold=${threshold}${start}${to === undefined ? "" : `&endTimestamp=${to}`}`;
}

const RANDOM_LISTS = isFullRun ? 2_000 : 150;

const CONTENT_RULES: readonly Rule[] = [
  rule("E20.1", "MUST", "lists every address that ever held more than 0, with its latest balance", async (api) => {
    for (const chainId of [760011, 760012])
      for (const token of tokensOf(chainId))
        expect(await listed(api, `${pathOf(chainId, token)}?threshold=0`, 1_000)).toEqual(
          expected(historyOf(chainId, token), 0n, {}),
        );
  }),
  rule("E20.2", "MUST", "lists the addresses of any frame and threshold, in pages of any size", async (api) => {
    const random = createRandomIntegers(20);
    for (let list = 0; list < RANDOM_LISTS; list++) {
      const chainId = 760011 + (random() % 2);
      const tokens = tokensOf(chainId);
      const token = tokens[random() % tokens.length] as string;
      const history = historyOf(chainId, token);
      const balances = history.changes.map(({ balance }) => BigInt(balance ?? 0));
      // A balance that somebody had, one less or one more.
      const threshold = (balances[random() % balances.length] ?? 0n) + BigInt(random() % 3) - 1n;
      const times = [...history.secondsOf.values()];
      const time = () => (times[random() % times.length] ?? 0) + (random() % 3) - 1;
      const frame = {
        from: random() % 4 === 0 ? undefined : time(),
        to: random() % 4 === 0 ? undefined : time() + (random() % 300),
      };
      const above = threshold < 0n ? 0n : threshold;
      const path = `${pathOf(chainId, token)}?${queryOf(above, frame)}`;
      expect([path, await listed(api, path, 1 + (random() % 4))]).toEqual([path, expected(history, above, frame)]);
    }
  }),
  rule("E20.3", "MUST", "lists only balances above the threshold, also above 2^64, with all digits", async (api) => {
    for (const chainId of [760011, 760012])
      for (const token of tokensOf(chainId).slice(-4)) {
        const history = historyOf(chainId, token);
        const most =
          history.changes.map(({ balance }) => BigInt(balance ?? 0)).sort((a, b) => (a < b ? 1 : -1))[0] ?? 0n;
        for (const threshold of [most - 1n, most, most + 1n])
          expect(await listed(api, `${pathOf(chainId, token)}?threshold=${threshold}`, 10)).toEqual(
            expected(history, threshold, {}),
          );
      }
    for (const digits of [64, 78, 79, 1_000])
      expect(await pageAt(api, `${pathOf(760011)}?threshold=${"9".repeat(digits)}`)).toEqual({ addresses: [] });
    const zeros = `${pathOf(760011)}?threshold=${"0".repeat(999)}1`;
    expect(await pageAt(api, zeros)).toEqual(await pageAt(api, `${pathOf(760011)}?threshold=1`));
  }),
  rule("E20.4", "MUST", "writes sortKey as a number, and as a string in the hosted dialect", async (api) => {
    const { text } = await api.get(`${PATH}&pageSize=1`);
    expect(text).toMatch(/^\{"addresses":\[\{"address":"0x[\dA-Fa-f]{40}","sortKey":\d{22}\}\],"nextPageToken":"/);
    const hosted = await api.get(`/hosted${PATH}&pageSize=1`);
    expect(hosted.text).toMatch(/"sortKey":"\d{22}"\}/);
  }),
  rule("E20.5", "CHOICE", "lists nobody for an address that is no token, and for an empty frame", async (api) => {
    const nothing = { addresses: [] };
    expect(await pageAt(api, `${pathOf(760011, `0x${"1".repeat(40)}`)}?threshold=0`)).toEqual(nothing);
    for (const frame of [
      "startTimestamp=9&endTimestamp=9",
      "startTimestamp=1900000000&endTimestamp=5",
      "endTimestamp=0",
    ])
      expect(await pageAt(api, `${PATH}&${frame}`)).toEqual(nothing);
  }),
  rule("E20.6", "CHOICE", "uses the latest balances for a frame after the last indexed block", async (api) => {
    const last = factsOf(760011).counted.at(-1)?.seconds ?? 0;
    for (const from of [last + 1, last + 1_000, 10 ** 18])
      for (const end of ["", `&endTimestamp=${"9".repeat(30)}`])
        expect(await listed(api, `${PATH}&startTimestamp=${BigInt(from)}${end}`, 1_000)).toEqual(
          expected(historyOf(760011, TOKEN), 0n, { from }),
        );
  }),
  rule("E20.7", "MUST", "returns a sentence for each rule that a request violates", async (api) => {
    const messageOf = async (path: string) => ((await api.get(path)).body as { message: string[] }).message;
    expect(await messageOf(`${pathOf(760011, "0x12")}?pageSize=ten&startTimestamp=-1`)).toEqual([
      'address must be 0x and 40 hex digits, got "0x12"',
      'pageSize must be an integer of at most 32 bits, got "ten"',
      'startTimestamp must be a non-negative integer, got "-1"',
      "threshold must be given",
    ]);
    const late = "pageSize=5001&pageToken=x";
    for (const threshold of ["-1", "1.0", "1e3", "0x1", "%201"])
      expect(await messageOf(`${pathOf(760011)}?threshold=${threshold}&${late}`)).toEqual([
        `threshold must be a non-negative integer, got "${decodeURIComponent(threshold)}"`,
        "the page size must be from 1 to 5000, got 5001",
        'the page token or cursor must be from a page with the same parameters, got "x"',
      ]);
    const [status, message] = await api.refusal(`${pathOf(760011)}?threshold=${"9".repeat(1_001)}`);
    expect([status, message]).toEqual([400, expect.stringMatching(/^threshold must have at most 1000 digits, got "9/)]);
    expect(await api.refusal(`${PATH}&pageSize=0`)).toEqual([400, "the page size must be from 1 to 5000, got 0"]);
    expect((await api.get(`${PATH}&pageSize=5000`)).status).toBe(200);
  }),
  rule("E20.8", "MUST", "accepts a token only with the same parameters, but with any page size", async (api) => {
    const list = `${PATH}&startTimestamp=5`;
    const { nextPageToken } = await pageAt(api, `${list}&pageSize=3`);
    expect(nextPageToken).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    const all = await listed(api, list, 1_000);
    const { addresses } = await pageAt(api, `${list}&pageSize=5&pageToken=${nextPageToken}`);
    expect(addresses).toEqual(all.slice(3, 8));
    const others = [
      list.replace("threshold=0", "threshold=1"),
      list.replace("=5", "=6"),
      `${list}&endTimestamp=1900000000`,
      list.replace(TOKEN, `0x${"1".repeat(40)}`),
      list.replace("760011", "760012"),
    ];
    for (const other of others)
      expect(await api.refusal(`${other}&pageToken=${nextPageToken}`)).toEqual([
        400,
        `the page token or cursor must be from a page with the same parameters, got "${nextPageToken}"`,
      ]);
  }),
];

/** All rules of E20. A list whose balances change between pages is tested in `subgraphs/metrics/holders-above`. */
export const HOLDERS_ABOVE_RULES: readonly Rule[] = [
  ...CONTENT_RULES,
  ...keylessChainIdRules("E20", (chainId) => `${pathOf(chainId)}?threshold=0`),
  ...everyRouteRules({
    id: "E20",
    path: pathOf(760011),
    query: "threshold=0",
    unhosted: (text) => text.replaceAll(/"sortKey":"(-?\d+)"/g, '"sortKey":$1'),
    units: 1_000,
    isKeyless: true,
    statements: 1,
    parameter: { name: "startTimestamp", good: "1", bad: "x" },
  }),
];
