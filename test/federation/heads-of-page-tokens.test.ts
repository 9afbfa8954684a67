import { readFileSync } from "node:fs";
import { ROUTES } from "../../rest-compat/routes.ts";
import {
  CALLED,
  CHAIN,
  type GraphAnswer,
  LIST_NAMES,
  type OpenedLists,
  openLists,
  TOKEN,
  WALLET,
} from "../support/lists/graph-lists.ts";

const NETWORK = "/v1/networks/fuji";

let opened: OpenedLists;
beforeAll(async () => {
  opened = await openLists();
}, 60_000);
afterAll(() => opened[Symbol.asyncDispose]());

/** Every list route of REST: its path without page parameters. */
const REST_LISTS: Readonly<Record<string, () => string>> = {
  E5: () => `${NETWORK}/blockchains/p-chain/transactions`,
  E9: () => `/v1/chains/${CHAIN}/addresses/${WALLET}/transactions:listErc20`,
  E10: () => `/v1/chains/${CHAIN}/addresses/${CALLED}/transactions:listInternals`,
  E11: () => `${NETWORK}/rewards?nodeIds=${opened.at["rewardNode"]}`,
  E12: () => `${NETWORK}/validators/${opened.at["validatorNode"]}`,
  E13: () => `${NETWORK}/delegators`,
  E14: () => `/v1/chains/${CHAIN}/blocks`,
  E15: () => `${NETWORK}/blockchains/p-chain/nodes/${opened.at["proposer"]}/blocks`,
  E16: () => `${NETWORK}/l1Validators?includeInactiveL1Validators=true`,
  E7: () => `${NETWORK}/subnets`,
  E19: () => `${NETWORK}/blockchains/x-chain/vertices`,
  E20: () => `/v2/chains/${CHAIN}/contracts/${TOKEN}/balances?threshold=0`,
  E21: () => `/v1/avg_tps/${CHAIN}`,
  E21M: () => `/hosted/v2/chains/${CHAIN}/metrics/txCount`,
};

/** Runs `run` while all chains have this many more blocks than they have. */
async function withBlocks<Result>(more: number, run: () => Promise<Result>): Promise<Result> {
  const add = async (blocks: number) => {
    await opened.api.pool.query("UPDATE chain_heads SET block_number = block_number + $1", [blocks]);
    await opened.api.pool.query("UPDATE primary_heads SET block_number = block_number + $1, raw_seq = raw_seq + $1", [
      blocks,
    ]);
  };
  await add(more);
  try {
    return await run();
  } finally {
    await add(-more);
  }
}

/** The selection of one page of a list, with one item. `$token` is the token of the page before. */
const pageOf = (name: string): string => opened.lists("first: 1, after: $token", "{ nextPageToken }")[name] ?? "";

const ask = (list: string, token: string | null): Promise<GraphAnswer> =>
  opened.ask(list, "($token: String)", { token });

const tokenIn = (answer: unknown): string | undefined => /"nextPageToken":"([^"]+)"/.exec(JSON.stringify(answer))?.[1];
const BEHIND = expect.stringMatching(
  /^the page token or cursor is from a page that was read when more blocks were indexed than/,
);

describe("a page token of the graph that is used where fewer blocks are indexed than where it was made", () => {
  it("is tested for every list that comes from blocks", () => {
    expect(Object.keys(opened.lists("first: 1", "{ nextPageToken }")).sort()).toEqual(LIST_NAMES);
  });

  it.each(LIST_NAMES)("is unavailable in %s, and valid again where as many or more are indexed", async (name) => {
    const list = pageOf(name);
    const first = await ask(list, null);
    expect([name, first.errors]).toEqual([name, undefined]);
    const token = tokenIn(first) ?? "";
    expect([list, token]).not.toEqual([list, ""]);
    const { errors } = await withBlocks(-1, () => ask(list, token));
    expect(errors).toEqual([
      expect.objectContaining({ message: BEHIND, extensions: expect.objectContaining({ code: "UNAVAILABLE" }) }),
    ]);
    for (const more of [0, 1]) expect((await withBlocks(more, () => ask(list, token))).errors).toBeUndefined();
  });
});

describe("a page token of REST that is used where fewer blocks are indexed than where it was made", () => {
  it("is tested for every list route", () => {
    const hasToken = (operation: string) =>
      readFileSync(`rest-compat/operations/${operation}.graphql`, "utf8").includes("$pageToken");
    const routes = ROUTES.filter(({ operation }) => hasToken(operation)).map(({ id }) => id);
    expect(routes.sort()).toEqual(Object.keys(REST_LISTS).sort());
  });

  it.each(Object.keys(REST_LISTS))(
    "is answered by %s with 503 and Retry-After, and with 200 where as many or more are indexed",
    async (id) => {
      const path = REST_LISTS[id]?.() ?? "";
      const withQuery = (query: string) => `${path}${path.includes("?") ? "&" : "?"}${query}`;
      // E21 has 100 days on each page, and the same tokens as the field of the graph.
      const first =
        id === "E21"
          ? await ask(pageOf("Query.averageTps"), null)
          : (await opened.api.get(withQuery("pageSize=1"))).body;
      const next = withQuery(`pageToken=${tokenIn(first)}`);
      const behind = await withBlocks(-1, () => opened.api.get(next));
      expect([path, behind.status]).toEqual([path, 503]);
      expect(behind.headers.get("retry-after")).toMatch(/^\d+$/);
      expect(behind.body).toEqual({
        message: path.includes("/v1/networks") || path.includes("/v1/chains") ? BEHIND : [BEHIND],
        error: "Service Unavailable",
        statusCode: 503,
      });
      for (const more of [0, 1])
        expect([path, (await withBlocks(more, () => opened.api.get(next))).status]).toEqual([path, 200]);
    },
  );
});
