import type { ExpectedBlock } from "../support/oracle/oracle.ts";
import type { Api } from "./api.ts";
import { chainIdRules } from "./chain-id.ts";
import { everyRouteRules } from "./every-route.ts";
import { type ListRoute, paginationRules } from "./pagination.ts";
import { type Rule, rule } from "./rule.ts";

const pathOf = (chainId: string | number) => `/v1/chains/${chainId}/blocks`;
const PATH = pathOf(760011);
const BLOCKCHAIN_ID = "jTXXu5hcQxAs4K9FrEqNtSLpJFoKTXC9NwDT1AFFmXJKHGind";

const LIST: ListRoute = {
  id: "E14",
  path: PATH,
  spellings: [pathOf(BLOCKCHAIN_ID)],
  others: { chain: pathOf(760012) },
  items: "blocks",
  key: ({ blockNumber }) => String(blockNumber),
  expected: ({ c }) => c.blocks.map(({ blockNumber }) => String(blockNumber)),
};

async function all(api: Api, chainId: number): Promise<ExpectedBlock[]> {
  const blocks: ExpectedBlock[] = [];
  for (let token = ""; ; ) {
    const path = `${pathOf(chainId)}?pageSize=100${token}`;
    const page = await api.body<{ nextPageToken?: string; blocks: ExpectedBlock[] }>(path);
    blocks.push(...page.blocks);
    if (!page.nextPageToken) return blocks;
    token = `&pageToken=${page.nextPageToken}`;
  }
}

const CONTENT_RULES: readonly Rule[] = [
  rule("E14.1", "MUST", "lists every block with the node's values, newest first", async (api) => {
    for (const oracle of [api.c, api.l1]) expect(await all(api, oracle.chain.evmChainId)).toEqual(oracle.blocks);
  }),
  rule("E14.2", "MUST", "lists blocks by descending timestamp", async (api) => {
    const times = (await all(api, 760011)).map(({ blockTimestamp }) => Number(blockTimestamp));
    expect(times).toEqual([...times].sort((a, b) => b - a));
  }),
  rule(
    "E14.3",
    "CHOICE",
    "feesSpent includes tips, and cumulativeTransactions includes the block's transactions",
    async (api) => {
      const [newest] = await all(api, 760011);
      expect(newest).toMatchObject({ feesSpent: "18207000021000", gasUsed: "21000", baseFee: "1", txCount: 1 });
      const blocks = await all(api, 760012);
      const sum = blocks.reduce((count, { txCount }) => count + Number(txCount), 0);
      expect(blocks[0]?.["cumulativeTransactions"]).toBe(String(sum));
    },
  ),
  rule("E14.4", "MUST", "quantities are strings, times and counts are integers", async (api) => {
    for (const { blockTimestamp, txCount, ...others } of await all(api, 760012)) {
      expect([blockTimestamp, txCount].every(Number.isSafeInteger)).toBe(true);
      for (const value of Object.values(others)) expect(typeof value).toBe("string");
    }
  }),
  rule("E14.5", "CHOICE", "returns the EVM chain id as chainId, whichever id the request has", async (api) => {
    const { blocks } = await api.body<{ blocks: ExpectedBlock[] }>(`${pathOf(BLOCKCHAIN_ID)}?pageSize=1`);
    expect(blocks[0]).toMatchObject({ chainId: "760011" });
  }),
  rule("E14.6", "CHOICE", "lists the genesis as a block, with 0 for values that it lacks", async (api) => {
    expect((await all(api, 760012)).at(-1)).toMatchObject({
      blockNumber: "0",
      txCount: 0,
      feesSpent: "0",
      gasCost: "0",
    });
  }),
];

/** All rules of E14. */
export const EVM_BLOCK_RULES: readonly Rule[] = [
  ...CONTENT_RULES,
  ...paginationRules(LIST),
  ...chainIdRules("E14", pathOf),
  ...everyRouteRules({
    id: "E14",
    path: PATH,
    units: 10,
    statements: 1,
    parameter: { name: "pageSize", good: "3", bad: "x" },
  }),
];
