import { createWork } from "../../core/work/work.ts";
import type { Graph } from "../../gateway/graph.ts";
import { statementsOf } from "../support/database/statements.ts";
import { C_CHAIN, L1, type OpenedEvm, openEvm } from "./evm.ts";
import { createOtherSubgraph, type Named, supergraphOfBoth } from "./other-subgraph.ts";
import { serveGateway, serveSubgraph } from "./served.ts";

const UNUSED_ADDRESS = `0x${"1".repeat(40)}`;
const UNUSED_HASH = `0x${"1".repeat(64)}`;

let opened: OpenedEvm;
let tx: { blockNumber: string; blockHash: string; txHash: string; logIndex: number; address: string };

beforeAll(async () => {
  opened = await openEvm();
  const { rows } = await opened.database.pool.query<typeof tx>(
    `SELECT block_number::bigint AS "blockNumber", '0x' || encode(block_hash, 'hex') AS "blockHash", '0x' || encode(tx_hash, 'hex') AS "txHash",
       log_index AS "logIndex", '0x' || encode(token_address, 'hex') AS address
     FROM erc20_transfers WHERE chain_id = ${C_CHAIN} ORDER BY block_number DESC, log_index DESC LIMIT 1`,
  );
  tx = rows[0] as typeof tx;
});
afterAll(() => opened[Symbol.asyncDispose]());

const SELECTION = `... on Chain { chainName } ... on EvmBlock { blockHash } ... on EvmTransaction { blockNumber }
  ... on Erc20Transfer { txHash erc20Token { address } } ... on Erc20Token { firstBlockNumber }
  ... on EvmAddress { contract { address } }`;

function resolve(...representations: readonly object[]) {
  const literal = JSON.stringify(representations).replace(/"(\w+)":/g, "$1:");
  return opened.ask(`{ _entities(representations: ${literal}) { __typename ${SELECTION} } }`);
}

/** A row of each of the other entities, by the fields of its key. */
async function keysOfRecords(): Promise<Record<string, unknown>[]> {
  const names: Readonly<Record<string, readonly [table: string, columns: string]>> = {
    Erc721Transfer: ["erc721_transfers", 'log_index AS "logIndex"'],
    Erc1155Transfer: ["erc1155_transfers", 'log_index AS "logIndex", batch_index AS "batchIndex"'],
    EvmInternalTransaction: ["evm_internal_transactions", 'block_index AS "blockIndex", trace_index AS "traceIndex"'],
    Deployment: [
      "evm_deployments",
      `block_index AS "blockIndex", trace_index AS "traceIndex", '0x' || encode(address, 'hex') AS address`,
    ],
    IcmEvent: ["icm_events", 'log_index AS "logIndex"'],
    Contract: ["evm_deployments", `'0x' || encode(address, 'hex') AS address`],
  };
  const keys = Object.entries(names).map(async ([__typename, [table, columns]]) => {
    const { rows } = await opened.database.pool.query<Record<string, unknown>>(
      `SELECT chain_id AS "chainId", block_number::bigint AS "blockNumber", ${columns} FROM ${table} WHERE chain_id = ${C_CHAIN} ORDER BY block_number DESC LIMIT 1`,
    );
    return { __typename, ...rows[0] };
  });
  return Promise.all(keys);
}

const RECORDS = `... on Erc721Transfer { chainId blockNumber logIndex } ... on Erc1155Transfer { chainId blockNumber logIndex batchIndex }
  ... on EvmInternalTransaction { chainId blockNumber blockIndex traceIndex } ... on IcmEvent { chainId blockNumber logIndex }
  ... on Deployment { chainId address blockNumber blockIndex traceIndex } ... on Contract { chainId address }`;

function resolveRecords(keys: readonly object[]) {
  const literal = JSON.stringify(keys).replace(/"(\w+)":/g, "$1:");
  return opened.ask(`{ _entities(representations: ${literal}) { __typename ${RECORDS} } }`);
}

describe("the other records of a chain as entities", () => {
  it("are found by their keys, and are null for keys without a row", async () => {
    const keys = await keysOfRecords();
    expect(keys).toHaveLength(6);
    const { data, errors } = await resolveRecords(keys);
    expect(errors).toBeUndefined();
    const found = data?.["_entities"] as Record<string, unknown>[];
    const lower = found.map((entity) => ({ ...entity, ...addressOf(entity) }));
    expect(keys).toEqual(lower.map((entity) => expect.objectContaining(entity)));
    const elsewhere = keys.map((key) => ({
      ...key,
      chainId: L1,
      ...("address" in key ? { address: UNUSED_ADDRESS } : {}),
    }));
    const beyond = elsewhere.map((key) => ({ ...key, blockNumber: "9".repeat(78) }));
    const far = keys.map((key) =>
      Object.fromEntries(Object.entries(key).map(([name, value]) => [name, name.endsWith("Index") ? 1e15 : value])),
    );
    const unserved = keys.map((key) => ({ ...key, chainId: "1" }));
    const nulls = (keys: readonly object[]) => ({ data: { _entities: keys.map(() => null) } });
    expect(await resolveRecords(beyond)).toEqual(nulls(beyond));
    expect(await resolveRecords(unserved)).toEqual(nulls(unserved));
    expect(await resolveRecords(far.slice(0, 5))).toEqual(nulls(far.slice(0, 5)));
  });

  it("are an error for a malformed key", async () => {
    const [transfer] = await keysOfRecords();
    const { errors } = await resolveRecords([{ ...transfer, logIndex: "x" }]);
    expect(errors?.map(({ extensions }) => extensions["code"])).toEqual(["INVALID_PARAMETER"]);
  });

  it("cost one statement for each kind, and one for the addresses of transfers", async () => {
    const keys = await keysOfRecords();
    const many = keys.flatMap((key) => [0, 1, 2].map((n) => ({ ...key, blockNumber: Number(key["blockNumber"]) - n })));
    expect((await statementsOf(() => resolveRecords(keys))).length).toBe(
      (await statementsOf(() => resolveRecords(many))).length,
    );
  });
});

const addressOf = (entity: Record<string, unknown>) =>
  "address" in entity ? { address: String(entity["address"]).toLowerCase() } : {};

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

  it.each(["1", "nothing", L1])("are null if chain %s does not have them", async (chainId) => {
    const { data, errors } = await resolve(
      { __typename: "EvmBlock", chainId, blockNumber: "99999" },
      { __typename: "EvmBlock", chainId, blockHash: UNUSED_HASH },
      { __typename: "EvmTransaction", chainId, txHash: UNUSED_HASH },
      { __typename: "Erc20Transfer", chainId, blockNumber: "9", logIndex: 99_999_999_999 },
      { __typename: "Erc20Token", chainId, address: UNUSED_ADDRESS },
    );
    expect(errors).toBeUndefined();
    expect(data).toEqual({ _entities: [null, null, null, null, null] });
  });

  it("are null with their own error for a malformed key", async () => {
    const { data, errors } = await resolve(
      { __typename: "EvmBlock", chainId: C_CHAIN, blockNumber: "x" },
      { __typename: "Erc20Token", chainId: C_CHAIN, address: "0x1" },
      { __typename: "EvmBlock", chainId: C_CHAIN, blockNumber: "46" },
    );
    expect(errors?.map(({ extensions }) => extensions["code"])).toEqual(["INVALID_PARAMETER", "INVALID_PARAMETER"]);
    expect(data).toMatchObject({ _entities: [null, null, { __typename: "EvmBlock" }] });
  });

  it("include every address of a configured chain, also an unused one", async () => {
    const keys = [C_CHAIN, "1"].map((chainId) => ({ __typename: "EvmAddress", chainId, address: UNUSED_ADDRESS }));
    const { data, errors } = await resolve(...keys);
    expect(errors).toBeUndefined();
    expect(data).toEqual({ _entities: [{ __typename: "EvmAddress", contract: null }, null] });
  });

  it("cost one statement for each kind and chain, whatever their number", async () => {
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
    expect(counts).toEqual([2, 2, 2]);
  });
});

/** A list with joined fields, and its number of statements, which does not depend on the length of the list. */
const BUDGETS: readonly (readonly [what: string, statements: number, query: (pageSize: number) => string])[] = [
  [
    "blocks with their transactions, these with addresses, logs, transfers and their block",
    8,
    (n) =>
      `{ evmBlocks(chainId: "${C_CHAIN}", first: ${n}) { blocks: nodes { transactions { transactions: nodes { from { name } to { symbol } logs { logs: nodes { data } } erc20Transfers { transactions: nodes { value erc20Token { symbol } } } block { baseFee } baseFeePerGas } } } } }`,
  ],
  [
    "transactions with their addresses",
    2,
    (n) =>
      `{ evmTransactions(chainId: "${C_CHAIN}", first: ${n}) { transactions: nodes { from { name address } to { name } } } }`,
  ],
  [
    "transactions with their transfers, internal transactions, messages and deployments",
    14,
    (n) =>
      `{ evmTransactions(chainId: "${C_CHAIN}", first: ${n}) { transactions: nodes { recipient { name } method { methodHash }
        erc721Transfers { transactions: nodes { from { name } erc721Token { name metadata { indexStatus } } } }
        erc1155Transfers { transactions: nodes { value erc1155Token { tokenUri } } }
        internalTransactions { transactions: nodes { opcode to { symbol } } }
        icmEvents { events: nodes { event source { chainId } destination { transaction { txHash } } } }
        deployments { deployments: nodes { creator } } } } }`,
  ],
  [
    "deployments with the contents of their transactions",
    14,
    (n) =>
      `{ evmTransactions(chainId: "${C_CHAIN}", first: ${n}) { transactions: nodes { deployments { deployments: nodes { address
        transaction { from { name } baseFeePerGas } erc20Transfers { value erc20Token { symbol } }
        erc721Transfers { logIndex } erc1155Transfers { value } internalTransactions { opcode }
        teleporterMessageInfo { direction } networkTokenDetails { currentPrice { value } } } } } } }`,
  ],
  [
    "chains with their capabilities",
    2,
    () => "{ chains { chains { chainId capabilities { capability isOn missingBlocks } } } }",
  ],
  [
    "blocks with their chain's progress and their first transaction",
    4,
    (n) =>
      `{ evmBlocks(chainId: "${C_CHAIN}", first: ${n}) { blocks: nodes { chain { indexing { pendingTokens state } } transactions(first: 1) { transactions: nodes { txHash } } } } }`,
  ],
];

describe("joined fields of the items of a list", () => {
  it.each(BUDGETS)("cost a fixed number of statements: %s", async (_what, atMost, query) => {
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

  const ask = (query: string) => graph.prepare(query)({}, { work: createWork(), requestId: "test" });

  it("adds fields to entities of evm", async () => {
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

  it("refers to entities of evm, which are complete, or null if they do not exist", async () => {
    const { data, errors } = await ask(
      "{ named { block { blockHash transactions { transactions: nodes { txType } } } transaction { blockNumber } transfer { txHash erc20Token { symbol } } token { name } } }",
    );
    expect(errors).toBeUndefined();
    expect(data?.["named"]).toMatchObject([
      { block: { blockHash: tx.blockHash }, transaction: { blockNumber: tx.blockNumber }, transfer: null },
      { block: null, transfer: { txHash: tx.txHash }, token: { name: expect.any(String) } },
      { block: null, transaction: null },
    ]);
  });

  it("is joined below a list with one statement for a page", async () => {
    const query = `{ evmBlocks(chainId: "${C_CHAIN}", first: 50) { blocks: nodes { blockNumber chain { chainName averageTps } } } }`;
    const chain = { chainName: "C-Chain", averageTps: 380_005.5 };
    const blocks = Array.from({ length: 50 }, (_, i) => ({ blockNumber: String(234 - i), chain }));
    expect(await ask(query)).toEqual({ data: { evmBlocks: { blocks } } });
    expect(await statementsOf(() => ask(query))).toHaveLength(2);
  });
});
