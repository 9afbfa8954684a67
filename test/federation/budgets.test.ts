import type { RequestInfo } from "../../core/graph-client.ts";
import { indexedAlpha } from "../support/indexed.ts";
import { statementsOf } from "../support/statements.ts";
import { serveGraph } from "./served.ts";

const REQUEST: RequestInfo = { requestId: "test" };
const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
const BLOCK = "chainId blockNumber blockTimestamp blockHash txCount baseFee gasUsed feesSpent";
const TRANSFER =
  "blockNumber txHash from { name address } to { name address } logIndex value erc20Token { address symbol decimals }";

/** A list, and the statements that a page of it costs, of whatever size. */
const BUDGETS: readonly (readonly [rule: string, statements: number, query: (pageSize: number) => string])[] = [
  [
    "E9, a page of transfers: the transfers and their tokens",
    2,
    (n) =>
      `{ erc20Transfers(chainId: "760011", address: "${WALLET}", pageSize: ${n}) { nextPageToken transactions { ${TRANSFER} } } }`,
  ],
  [
    "E14, a page of blocks",
    1,
    (n) => `{ evmBlocks(chainId: "760011", pageSize: ${n}) { nextPageToken blocks { ${BLOCK} } } }`,
  ],
  ["E17, the chains", 1, () => "{ chains { chains { chainId status chainName } } }"],
  ["E18, a chain", 1, () => `{ chain(chainId: "760011") { chainId status chainName } }`],
  [
    "transfers with their blocks and transactions",
    4,
    (n) =>
      `{ erc20Transfers(chainId: "760011", address: "${WALLET}", pageSize: ${n}) { transactions { ${TRANSFER} transaction { gasUsed } block { ${BLOCK} } } } }`,
  ],
  [
    "blocks with their chain",
    2,
    (n) => `{ evmBlocks(chainId: "760011", pageSize: ${n}) { blocks { blockNumber chain { chainName status } } } }`,
  ],
];

describe("a page costs a fixed number of statements", () => {
  let close: () => Promise<void>;
  let count: (query: string) => Promise<number>;

  beforeAll(async () => {
    const database = await indexedAlpha();
    const served = await serveGraph({ database, config: database.config });
    count = async (query) => {
      const operation = served.graph.prepare(query);
      const statements = await statementsOf(async () => {
        const { errors } = await operation({}, REQUEST);
        expect(errors).toBeUndefined();
      });
      return statements.length;
    };
    close = async () => {
      await served[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    };
  });
  afterAll(() => close());

  it.each(BUDGETS)("%s: %i", async (_rule, statements, query) => {
    const counts = [];
    for (const pageSize of [1, 10, 50]) counts.push(await count(query(pageSize)));
    expect(counts).toEqual([statements, statements, statements]);
  });
});
