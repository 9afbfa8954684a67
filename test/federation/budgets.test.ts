import type { RequestInfo } from "../../core/graph/graph-client.ts";
import { createWork } from "../../core/work/work.ts";
import { statementsOf } from "../support/database/statements.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { serveGraph } from "./served.ts";

const REQUEST: RequestInfo = { work: createWork(), requestId: "test" };
const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
const BLOCK = "chainId blockNumber blockTimestamp blockHash txCount baseFee gasUsed feesSpent";
const TRANSFER =
  "blockNumber txHash from { name address } to { name address } logIndex value erc20Token { address symbol decimals }";

const INTERNAL = "blockNumber txHash from { name address } to { name address } internalTxType value isReverted gasUsed";
const DEPLOYMENT = `transaction { txHash from { name } recipient { name } baseFeePerGas method { methodName } }
  erc20Transfers { value erc20Token { symbol price { value } } } erc721Transfers { erc721Token { tokenId } }
  erc1155Transfers { erc1155Token { tokenId } } internalTransactions { ${INTERNAL} }
  networkTokenDetails { networkToken { symbol } currentPrice { value } } teleporterMessageInfo { direction }`;
/** A contract that called itself 391 times. */
const CALLER = "0x554a1eb5701f9b3c8daf4ed01e28b96b24317f03";
/** Contracts created by a transaction without logs, by one with an ERC-20 transfer, and by a contract. */
const PLAIN = "0xb93cf6788983b5f8b4cee77a0c9b1ca2f6720408";
const TOKEN = "0xce4e1e5f3f0ead12dd4707754d9bcf57825fd6b0";
const MADE = "0x4faab96c58773472801912cfc9b4e6da495c2b9b";
/** A contract created by a contract, in a transaction with an ERC-20 transfer. */
const MADE_WITH_TRANSFER = "0x6aed9054f960dcd54a3a486ad580c39db6360263";

/** A list, and the number of statements of a page, which does not depend on its size. */
const BUDGETS: readonly (readonly [rule: string, statements: number, query: (pageSize: number) => string])[] = [
  [
    "E9, a page of transfers: the transfers and their tokens",
    2,
    (n) =>
      `{ erc20Transfers(chainId: "760011", address: "${WALLET}", first: ${n}) { pageInfo { endCursor } transactions: nodes { ${TRANSFER} } } }`,
  ],
  [
    "E10, a page of internal transactions: the internal transactions and their tokens",
    2,
    (n) =>
      `{ internalTransactions(chainId: "760011", address: "${CALLER}", first: ${n}) { pageInfo { endCursor } transactions: nodes { ${INTERNAL} } } }`,
  ],
  [
    "E6, a deployment without other events: the deployment",
    1,
    () => `{ deployment(chainId: "760011", address: "${PLAIN}") { ${DEPLOYMENT} } }`,
  ],
  [
    "E6, a deployment with an ERC-20 transfer: the deployment, the transfer with the token",
    2,
    () => `{ deployment(chainId: "760011", address: "${TOKEN}") { ${DEPLOYMENT} } }`,
  ],
  [
    "E6, a contract created by a contract: the deployment, internal transactions with their tokens",
    2,
    () => `{ deployment(chainId: "760011", address: "${MADE}") { ${DEPLOYMENT} } }`,
  ],
  [
    "E6, a contract created by a contract, and an ERC-20 transfer: the deployment, two lists with their tokens",
    3,
    () => `{ deployment(chainId: "760011", address: "${MADE_WITH_TRANSFER}") { ${DEPLOYMENT} } }`,
  ],
  [
    "E14, a page of blocks",
    1,
    (n) => `{ evmBlocks(chainId: "760011", first: ${n}) { pageInfo { endCursor } blocks: nodes { ${BLOCK} } } }`,
  ],
  ["E17, the chains", 1, () => "{ chains { chains { chainId status chainName } } }"],
  ["E18, a chain", 1, () => `{ chain(chainId: "760011") { chainId status chainName } }`],
  [
    "E21, a page of days",
    1,
    (n) => `{ averageTps(chainId: "760011", first: ${n}) { results: nodes { timestamp value } lastRun } }`,
  ],
  [
    "E20, the last page of holders above a threshold (others make a token for the next page)",
    1,
    (n) =>
      `{ erc20HoldersAbove(chainId: "760011", address: "${TOKEN}", threshold: "0", first: ${n + 20}) { holders: nodes { address balance } } }`,
  ],
  [
    "holders of a token with their transactions and balances of other tokens",
    4,
    (n) =>
      `{ erc20Token(chainId: "760011", address: "${TOKEN}") { holders(first: ${n + 20}) { holders: nodes { balance evmAddress { transactionCount erc20Balances { balances: nodes { balance } } } } } } }`,
  ],
  [
    "tokens of transfers with their holders, number of holders and supply",
    4,
    (n) =>
      `{ erc20Transfers(chainId: "760011", address: "${WALLET}", first: ${n}) { transactions: nodes { erc20Token { holders(first: ${n + 20}) { holders: nodes { balance } } holderCount totalSupply } } } }`,
  ],
  [
    "two chains with their activity, totals and last 24 hours",
    7,
    (n) =>
      `{ chains { chains { chainName activity(interval: HOUR, first: ${n}) { periods: nodes { transactions activeAddresses } } averageTps(first: ${n}) { lastRun } totals { addresses } last24Hours { averageTps } } } }`,
  ],
  [
    "transfers with their blocks and transactions",
    4,
    (n) =>
      `{ erc20Transfers(chainId: "760011", address: "${WALLET}", first: ${n}) { transactions: nodes { ${TRANSFER} transaction { gasUsed } block { ${BLOCK} } } } }`,
  ],
  [
    "blocks with their chain",
    2,
    (n) => `{ evmBlocks(chainId: "760011", first: ${n}) { blocks: nodes { blockNumber chain { chainName status } } } }`,
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
