import { ALPHA } from "../../recordings/replay-node.ts";
import { type NodeBlock, nodeBlocks } from "../support/recorded/node-blocks.ts";
import type { Api } from "./api.ts";
import { everyRouteRules } from "./every-route.ts";
import { type ListRoute, paginationRules } from "./pagination.ts";
import { blockchainRules, networkRules } from "./primary-network.ts";
import { type Rule, rule } from "./rule.ts";

const RECORDED = { P: nodeBlocks(ALPHA, "P"), X: nodeBlocks(ALPHA, "X") } as const;
const ofNode = (blocks: readonly NodeBlock[], nodeId: string) =>
  blocks.filter(({ proposerDetails }) => proposerDetails?.proposerNodeId === nodeId).toReversed();
const NODES = [...new Set(RECORDED.P.flatMap(({ proposerDetails }) => proposerDetails?.proposerNodeId ?? []))];
/** Nodes by number of blocks, most first. */
const [NODE, OTHER] = NODES.toSorted(
  (one, other) => ofNode(RECORDED.P, other).length - ofNode(RECORDED.P, one).length,
) as [string, string];
const NOBODY = "NodeID-111111111111111111116DBWJs";

const pathOf = (blockchainId: string, nodeId = NODE, network = "fuji"): string =>
  `/v1/networks/${network}/blockchains/${blockchainId}/nodes/${nodeId}/blocks`;
const P = pathOf("p-chain");
const X = pathOf("x-chain");

interface Block extends NodeBlock {
  readonly blockTimestamp: number;
  readonly l1ValidatorsAccruedFees?: number;
  readonly activeL1Validators?: number;
  readonly currentSupply?: string;
}

async function all(api: Api, path: string, query = ""): Promise<Block[]> {
  const found: Block[] = [];
  for (let token = ""; ; ) {
    const page = await api.body<{ nextPageToken?: string; blocks: Block[] }>(`${path}?pageSize=100${query}${token}`);
    found.push(...page.blocks);
    if (!page.nextPageToken) return found;
    token = `&pageToken=${page.nextPageToken}`;
  }
}

const LIST: ListRoute = {
  id: "E15",
  path: P,
  spellings: [pathOf("11111111111111111111111111111111LpoYY", NODE, "testnet")],
  others: { chain: X, node: pathOf("p-chain", OTHER), startTimestamp: `${P}?startTimestamp=1` },
  items: "blocks",
  key: ({ blockNumber }) => String(blockNumber),
  expected: () => ofNode(RECORDED.P, NODE).map(({ blockNumber }) => blockNumber),
};

const CONTENT_RULES: readonly Rule[] = [
  rule("E15.1", "MUST", "lists the blocks of every node, newest first, as the node returns them", async (api) => {
    expect(NODES.length).toBeGreaterThan(3);
    for (const [path, blocks] of [
      ["p-chain", RECORDED.P],
      ["x-chain", RECORDED.X],
    ] as const) {
      let listed = 0;
      for (const nodeId of NODES) {
        const found = await all(api, pathOf(path, nodeId));
        const bare = found.map(
          ({ l1ValidatorsAccruedFees: _, activeL1Validators: __, currentSupply: ___, ...block }) => block,
        );
        expect(bare).toMatchObject(ofNode(blocks, nodeId));
        listed += found.length;
      }
      // The first block after the genesis has no signature.
      expect(listed).toBe(blocks.length - 2);
    }
  }),
  rule(
    "E15.2",
    "CHOICE",
    "a commit or abort block counts for its parent's proposer and has no proposal time",
    async (api) => {
      const decisions = (await all(api, P)).filter(({ blockType }) => /Commit|Abort/.test(blockType));
      expect(decisions.length).toBeGreaterThan(3);
      for (const { proposerDetails, transactions } of decisions) {
        expect(Object.keys(proposerDetails ?? {})).toEqual(["proposerId", "proposerParentId", "proposerNodeId"]);
        expect([proposerDetails?.proposerNodeId, transactions]).toEqual([NODE, []]);
      }
    },
  ),
  rule(
    "E15.3",
    "CHOICE",
    "P-Chain blocks have the state after the block; accrued fees never decrease; other chains lack it",
    async (api) => {
      const blocks = await all(api, P);
      for (const { l1ValidatorsAccruedFees, activeL1Validators, currentSupply } of blocks)
        expect([typeof l1ValidatorsAccruedFees, typeof activeL1Validators, typeof currentSupply]).toEqual([
          "number",
          "number",
          "string",
        ]);
      const fees = blocks.map(({ l1ValidatorsAccruedFees }) => l1ValidatorsAccruedFees as number);
      expect(fees).toEqual(fees.toSorted((one, other) => other - one));
      expect(new Set(fees).size).toBeGreaterThan(10);
      for (const block of await all(api, X)) {
        expect(Object.keys(block)).toEqual(expect.not.arrayContaining(["currentSupply", "activeL1Validators"]));
        expect("l1ValidatorsAccruedFees" in block).toBe(false);
      }
    },
  ),
  rule("E15.4", "CHOICE", "startTimestamp is inclusive and endTimestamp exclusive", async (api) => {
    for (const path of [P, X]) {
      const blocks = await all(api, path);
      const last = blocks[2]?.blockTimestamp as number;
      const first = blocks.at(-3)?.blockTimestamp as number;
      const numbers = (some: readonly Block[]) => some.map(({ blockNumber }) => blockNumber);
      const within = async (query: string, matches: (time: number) => boolean) => {
        const expected = blocks.filter(({ blockTimestamp }) => matches(blockTimestamp));
        expect(expected.length).toBeGreaterThan(2);
        expect(numbers(await all(api, path, query))).toEqual(numbers(expected));
      };
      await within(`&startTimestamp=${first}`, (time) => time >= first);
      await within(`&endTimestamp=${last}`, (time) => time < last);
      await within(`&startTimestamp=${first}&endTimestamp=${last}`, (time) => time >= first && time < last);
      await within(`&startTimestamp=0&endTimestamp=${2n ** 70n}`, () => true);
      for (const none of [
        `startTimestamp=${first}&endTimestamp=${first}`,
        "endTimestamp=0",
        `startTimestamp=${2n ** 70n}`,
      ])
        expect(await api.body(`${path}?${none}`)).toMatchObject({ blocks: [] });
    }
  }),
  rule("E15.5", "MUST", "refuses a timestamp that is not a non-negative integer with 400", async (api) => {
    for (const name of ["startTimestamp", "endTimestamp"])
      for (const bad of ["-1", "1.5", "1e9", "now"])
        expect(await api.refusal(`${P}?${name}=${bad}`)).toEqual([
          400,
          expect.stringMatching(`^${name} must be a non-negative integer, got "`),
        ]);
  }),
  rule(
    "E15.6",
    "CHOICE",
    "returns an empty list for a node without blocks, and 400 for an invalid node ID",
    async (api) => {
      for (const alias of ["p-chain", "x-chain", "c-chain"])
        expect(await api.body(pathOf(alias, NOBODY))).toEqual({
          blocks: [],
          chainInfo: { chainName: alias, network: "fuji" },
        });
      for (const bad of ["x", NODE.slice("NodeID-".length), `${NODE}1`, "nodeid-111111111111111111116DBWJs", "NodeID-"])
        expect(await api.refusal(pathOf("p-chain", bad))).toEqual([
          400,
          `nodeId must be a node ID, as NodeID-…, got "${bad}"`,
        ]);
    },
  ),
];

/** All rules of E15. */
export const NODE_BLOCK_RULES: readonly Rule[] = [
  ...CONTENT_RULES,
  ...paginationRules(LIST),
  ...networkRules("E15", (network) => pathOf("p-chain", NODE, network)),
  ...blockchainRules("E15", (blockchainId) => pathOf(blockchainId)),
  ...everyRouteRules({
    id: "E15",
    path: P,
    units: 20,
    statements: 1,
    parameter: { name: "startTimestamp", good: "1795252300", bad: "x" },
  }),
];
