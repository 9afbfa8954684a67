import type { Graph } from "../../gateway/graph.ts";
import { statementsOf } from "../support/statements.ts";
import { C_CHAIN, L1, type OpenedEvm, openEvm } from "./evm.ts";
import { createOtherSubgraph, type Named, supergraphOfBoth } from "./other-subgraph.ts";
import { serveGateway, serveSubgraph } from "./served.ts";

const NOBODY = `0x${"1".repeat(40)}`;
const NOTHING = `0x${"1".repeat(64)}`;

let opened: OpenedEvm;
let tx: { blockNumber: string; blockHash: string; txHash: string; logIndex: number; address: string };

beforeAll(async () => {
  opened = await openEvm();
  const { rows } = await opened.database.pool.query<typeof tx>(
    `SELECT block_number AS "blockNumber", '0x' || encode(block_hash, 'hex') AS "blockHash", '0x' || encode(tx_hash, 'hex') AS "txHash",
       log_index AS "logIndex", '0x' || encode(token_address, 'hex') AS address
     FROM erc20_transfers WHERE chain_id = ${C_CHAIN} ORDER BY block_number DESC, log_index DESC LIMIT 1`,
  );
  tx = rows[0] as typeof tx;
});
afterAll(() => opened[Symbol.asyncDispose]());

const SELECTION = `... on Chain { chainName } ... on EvmBlock { blockHash } ... on EvmTransaction { blockNumber }
  ... on Erc20Transfer { txHash erc20Token { address } } ... on Erc20Token { firstBlockNumber }`;

function resolve(...representations: readonly object[]) {
  const literal = JSON.stringify(representations).replace(/"(\w+)":/g, "$1:");
  return opened.ask(`{ _entities(representations: ${literal}) { __typename ${SELECTION} } }`);
}

describe("the entities of the evm subgraph", () => {
  it("are found by each of their keys", async () => {
    const { blockNumber, blockHash, txHash, logIndex, address } = tx;
    const { data, errors } = await resolve(
      { __typename: "Chain", chainId: C_CHAIN },
      { __typename: "EvmBlock", chainId: C_CHAIN, blockNumber },
      { __typename: "EvmBlock", chainId: C_CHAIN, blockHash: blockHash.toUpperCase().replace("X", "x") },
      { __typename: "EvmTransaction", chainId: C_CHAIN, txHash },
      { __typename: "Erc20Transfer", chainId: C_CHAIN, blockNumber, logIndex },
      { __typename: "Erc20Token", chainId: C_CHAIN, address: address.toUpperCase().replace("X", "x") },
    );
    expect(errors).toBeUndefined();
    expect(data?.["_entities"]).toMatchObject([
      { __typename: "Chain", chainName: "C-Chain" },
      { __typename: "EvmBlock", blockHash },
      { __typename: "EvmBlock", blockHash },
      { __typename: "EvmTransaction", blockNumber },
      { __typename: "Erc20Transfer", txHash, erc20Token: { address: expect.stringMatching(new RegExp(address, "i")) } },
      { __typename: "Erc20Token", firstBlockNumber: expect.any(String) },
    ]);
  });

  it.each(["1", "nothing", L1])("are null where chain %s has none such", async (chainId) => {
    const { data, errors } = await resolve(
      { __typename: "EvmBlock", chainId, blockNumber: "99999" },
      { __typename: "EvmBlock", chainId, blockHash: NOTHING },
      { __typename: "EvmTransaction", chainId, txHash: NOTHING },
      { __typename: "Erc20Transfer", chainId, blockNumber: "9", logIndex: 99_999_999_999 },
      { __typename: "Erc20Token", chainId, address: NOBODY },
    );
    expect(errors).toBeUndefined();
    expect(data).toEqual({ _entities: [null, null, null, null, null] });
  });

  it("are refused by a key that is malformed, each by itself", async () => {
    const { data, errors } = await resolve(
      { __typename: "EvmBlock", chainId: C_CHAIN, blockNumber: "x" },
      { __typename: "Erc20Token", chainId: C_CHAIN, address: "0x1" },
      { __typename: "EvmBlock", chainId: C_CHAIN, blockNumber: "46" },
    );
    expect(errors?.map(({ extensions }) => extensions["code"])).toEqual(["INVALID_PARAMETER", "INVALID_PARAMETER"]);
    expect(data).toMatchObject({ _entities: [null, null, { __typename: "EvmBlock" }] });
  });

  it("cost one statement for each kind, however many there are", async () => {
    const counts = [];
    for (const count of [1, 10, 100]) {
      const blocks = Array.from({ length: count }, (_, i) => ({
        __typename: "EvmBlock",
        chainId: C_CHAIN,
        blockNumber: `${i}`,
      }));
      const others = blocks.map((block) => ({ ...block, chainId: L1 }));
      counts.push((await statementsOf(() => resolve(...blocks, ...others))).length);
    }
    expect(counts).toEqual([1, 1, 1]);
  });
});

/** A list, what hangs on its items, and the statements that this costs, of whatever size the list is. */
const BUDGETS: readonly (readonly [what: string, statements: number, query: (pageSize: number) => string])[] = [
  [
    "blocks with their transactions, these with addresses, logs, transfers and their block",
    8,
    (n) =>
      `{ evmBlocks(chainId: "${C_CHAIN}", pageSize: ${n}) { blocks { transactions { transactions { from { name } to { symbol } logs { logs { data } } erc20Transfers { transactions { value erc20Token { symbol } } } block { baseFee } baseFeePerGas } } } } }`,
  ],
  [
    "transactions with their addresses",
    2,
    (n) =>
      `{ evmTransactions(chainId: "${C_CHAIN}", pageSize: ${n}) { transactions { from { name address } to { name } } } }`,
  ],
  [
    "blocks with their chain's progress and their first transaction",
    4,
    (n) =>
      `{ evmBlocks(chainId: "${C_CHAIN}", pageSize: ${n}) { blocks { chain { indexing { pendingTokens state } } transactions(pageSize: 1) { transactions { txHash } } } } }`,
  ],
];

describe("what hangs on the items of a list", () => {
  it.each(BUDGETS)("costs a fixed number of statements: %s", async (_what, atMost, query) => {
    const counts = [];
    for (const pageSize of [10, 50, 100])
      counts.push(
        (
          await statementsOf(async () => {
            expect((await opened.ask(query(pageSize))).errors).toBeUndefined();
          })
        ).length,
      );
    expect(new Set(counts).size).toBe(1);
    expect(counts[0]).toBeLessThanOrEqual(atMost);
  });
});

describe.each(["in this process", "by URL"])("a second subgraph, with evm %s", (where) => {
  let graph: Graph;
  const closed: AsyncDisposable[] = [];
  const named: Named[] = [];

  beforeAll(async () => {
    const { blockNumber, txHash, logIndex, address } = tx;
    const key = { chainId: C_CHAIN };
    named.push(
      { block: { ...key, blockNumber }, transaction: { ...key, txHash } },
      { transfer: { ...key, blockNumber, logIndex }, token: { ...key, address } },
      { block: { ...key, blockNumber: "99999" } },
    );
    const other = createOtherSubgraph(named);
    const subgraph = await serveSubgraph({ database: opened.database, config: opened.database.config });
    const evm = where === "by URL" ? { name: "evm", url: subgraph.url } : opened.evm;
    const served = await serveGateway([evm, other], undefined, supergraphOfBoth());
    graph = served.graph;
    closed.push(served, subgraph);
  });
  afterAll(async () => {
    for (const resource of closed) await resource[Symbol.asyncDispose]();
  });

  const ask = (query: string) => graph.prepare(query)({}, { requestId: "test" });

  it("adds to evm's entities", async () => {
    expect(await ask("{ chains { chains { chainName averageTps } } }")).toEqual({
      data: {
        chains: {
          chains: [
            { chainName: "C-Chain", averageTps: 380_005.5 },
            { chainName: "Moraine EVM alpha", averageTps: 380_006 },
          ],
        },
      },
    });
  });

  it("names evm's entities, which come whole, or null where there is none", async () => {
    const { data, errors } = await ask(
      "{ named { block { blockHash transactions { transactions { txType } } } transaction { blockNumber } transfer { txHash erc20Token { symbol } } token { name } } }",
    );
    expect(errors).toBeUndefined();
    expect(data?.["named"]).toMatchObject([
      { block: { blockHash: tx.blockHash }, transaction: { blockNumber: tx.blockNumber }, transfer: null },
      { block: null, transfer: { txHash: tx.txHash }, token: { name: expect.any(String) } },
      { block: null, transaction: null },
    ]);
  });

  it("is joined also below a list, and with one statement for its page", async () => {
    const query = `{ evmBlocks(chainId: "${C_CHAIN}", pageSize: 50) { blocks { blockNumber chain { chainName averageTps } } } }`;
    const chain = { chainName: "C-Chain", averageTps: 380_005.5 };
    const blocks = Array.from({ length: 50 }, (_, i) => ({ blockNumber: String(234 - i), chain }));
    expect(await ask(query)).toEqual({ data: { evmBlocks: { blocks } } });
    expect(await statementsOf(() => ask(query))).toHaveLength(2);
  });
});
