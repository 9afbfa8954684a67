import { createRawBlockPartition } from "../../indexer/primary/raw-blocks/entries.ts";
import { openReplay } from "../../indexer/primary/replay/replay.ts";
import { tryBecomeWriter } from "../../indexer/shared/writer.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { testConfig } from "../support/config.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { servedNetworks } from "../support/indexed/alpha-network.ts";
import { storeFacts } from "../support/indexed/replayed-primary.ts";
import { readPrimaryRecording } from "../support/recorded/primary-recording.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { CHAIN_NAMES } from "./primary-network.ts";

const OWNER = "custom1x5kfzzug3dhx2epxx76cvh5jq7z8xw9zk50dr9";
const NODE = "NodeID-111111111111111111116DBWJs";
const REASON = "the node refuses avm.getHeight";
const MESSAGE = `x-chain of network fuji is not indexed yet (WAITING): ${REASON}`;

const recording = readPrimaryRecording(ALPHA);
let database: TestDatabase;
let stack: Stack;

/** A network whose genesis and P-Chain are indexed, but no block of the X-Chain. */
beforeAll(async () => {
  database = await createTestDatabase();
  const { network, entries } = recording;
  const writer = await tryBecomeWriter(database.url, "primary");
  if (!writer) throw new Error("the database has a writer already");
  await writer.transaction((session) => storeFacts(session, network));
  await createRawBlockPartition(writer, network.networkId);
  const replay = await openReplay({ writer, network });
  await replay.accept("P", entries.P);
  await writer[Symbol.asyncDispose]();
  await database.pool.query(
    `INSERT INTO primary_progress (network_id, chain, state, reason, node_block_number, blocks_per_second, updated_at)
     VALUES ($1, 'X', 'WAITING', $2, NULL, 0, 0), ($1, 'P', 'FOLLOWING', NULL, 9, 0, 0)`,
    [network.networkId, REASON],
  );
  stack = await startStack({ database, config: { ...testConfig(), primaryNetworks: servedNetworks(ALPHA) } });
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

async function ask(
  query: string,
  { url } = stack,
): Promise<{ data: Record<string, unknown> | null; errors?: { message: string }[] }> {
  const response = await fetch(`${url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  return response.json() as never;
}

describe("while only the genesis of the X-Chain is indexed", () => {
  const base = "/v1/networks/fuji/blockchains";
  it.each([
    ["E5", `${base}/x-chain/transactions`],
    ["E5", `${base}/${CHAIN_NAMES.X[1]}/transactions?addresses=${OWNER}`],
    ["E5", `/hosted${base}/x-chain/transactions`],
    ["E8", `${base}/x-chain/balances?addresses=${OWNER}`],
    ["E8", `${base}/x-chain/balances?addresses=${OWNER}&blockTimestamp=1`],
    ["E15", `${base}/x-chain/nodes/${NODE}/blocks`],
    ["E19", `${base}/x-chain/vertices`],
  ])("%s %s returns 503 with the reason", async (_, path) => {
    const { status, body } = await stack.get(path);
    expect([status, body]).toMatchObject([503, { message: MESSAGE, statusCode: 503 }]);
  });

  it.each([
    ["E5", `${base}/p-chain/transactions`],
    ["E7", "/v1/networks/fuji/subnets"],
    ["E8", `${base}/p-chain/balances?addresses=${OWNER}`],
    ["E11", `/v1/networks/fuji/rewards?addresses=${OWNER}`],
    ["E12", `/v1/networks/fuji/validators/${NODE}`],
    ["E13", "/v1/networks/fuji/delegators"],
    ["E15", `${base}/p-chain/nodes/${NODE}/blocks`],
    ["E16", "/v1/networks/fuji/l1Validators"],
  ])("%s %s returns data of the P-Chain", async (_, path) => {
    expect((await stack.get(path)).status).toBe(200);
  });

  it.each([
    ["a vertex", `xChainVertex(network: FUJI, vertexHash: "${"ab".repeat(32)}") { vertexHash }`],
    ["a block", 'primaryNetworkBlock(network: FUJI, blockchainId: "x-chain", blockNumber: "1") { blockHash }'],
    ["an unknown transaction", `primaryNetworkTransaction(network: FUJI, txHash: "${"ab".repeat(32)}") { txHash }`],
    ["an unknown output", `primaryNetworkUtxo(network: FUJI, utxoId: "${"ab".repeat(32)}") { utxoId }`],
    [
      "importable balances",
      `primaryNetworkBalances(network: FUJI, blockchainId: "p-chain", addresses: ["${OWNER}"]) { importable { unlocked { amount } } }`,
    ],
  ])("the graph refuses %s with the reason", async (_, field) => {
    const { data, errors } = await ask(`{ ${field} }`);
    expect(Object.values(data ?? {}).every((value) => value === null)).toBe(true);
    expect(errors).toMatchObject([{ message: MESSAGE, extensions: { code: "UNAVAILABLE" } }]);
  });

  it("the graph refuses an output of the X-Chain's genesis, and finds those of the P-Chain", async () => {
    const idOf = async (chain: string): Promise<string> => {
      const text = "SELECT encode(utxo_id, 'hex') AS id FROM utxos WHERE created_on_chain = $1 LIMIT 1";
      return (await database.pool.query<{ id: string }>(text, [chain])).rows[0]?.id ?? "";
    };
    const find = async (chain: string) =>
      ask(`{ primaryNetworkUtxo(network: FUJI, utxoId: "${await idOf(chain)}") { amount } }`);
    expect(await find("X")).toMatchObject({ data: { primaryNetworkUtxo: null }, errors: [{ message: MESSAGE }] });
    expect(await find("P")).toEqual({ data: { primaryNetworkUtxo: { amount: expect.any(String) } } });
  });

  it("the graph lists every chain with its state and reason", async () => {
    const { data } = await ask(
      `{ primaryNetworks { network networkId chains { chainName blockchainId isIndexed state reason blockNumber nodeBlockNumber } } }`,
    );
    expect(data).toEqual({
      primaryNetworks: [
        {
          network: "FUJI",
          networkId: 76001,
          chains: [
            {
              chainName: "p-chain",
              blockchainId: CHAIN_NAMES.P[1],
              isIndexed: true,
              state: "FOLLOWING",
              reason: null,
              blockNumber: String(recording.entries.P.length - 1),
              nodeBlockNumber: "9",
            },
            {
              chainName: "x-chain",
              blockchainId: CHAIN_NAMES.X[1],
              isIndexed: false,
              state: "WAITING",
              reason: REASON,
              blockNumber: "-1",
              nodeBlockNumber: null,
            },
            {
              chainName: "c-chain",
              blockchainId: CHAIN_NAMES.C[1],
              isIndexed: false,
              state: null,
              reason: null,
              blockNumber: "-1",
              nodeBlockNumber: null,
            },
          ],
        },
      ],
    });
  });
});

describe("before a block of an EVM chain is indexed", () => {
  const ADDRESS = `0x${"ab".repeat(20)}`;
  const evmChains = [
    { chainId: 9, network: "fuji", nodeUrl: "http://127.0.0.1:1", chainName: "Nine", enabledFeatures: ["nftIndexing"] },
  ];
  let empty: TestDatabase;
  let other: Stack;
  beforeAll(async () => {
    empty = await createTestDatabase();
    other = await startStack({ database: empty, config: testConfig({ evmChains }) });
  });
  afterAll(async () => {
    await other[Symbol.asyncDispose]();
    await empty[Symbol.asyncDispose]();
  });

  const paths = [
    ["E6", `/v1/chains/9/contracts/${ADDRESS}/transactions:getDeployment`],
    ["E8N", `/v1/chains/9/addresses/${ADDRESS}/balances:getNative`],
    ["E9", `/v1/chains/9/addresses/${ADDRESS}/transactions:listErc20`],
    ["E10", `/v1/chains/9/addresses/${ADDRESS}/transactions:listInternals`],
    ["E14", "/v1/chains/9/blocks"],
    ["E14", "/hosted/v1/chains/9/blocks"],
    ["E20", `/v2/chains/9/contracts/${ADDRESS}/balances?threshold=1`],
    ["E21", "/v1/avg_tps/9"],
  ];

  it.each(paths)("%s %s returns 503, and says that the indexer has not started", async (_, path) => {
    const { status, body } = await other.get(path);
    expect(status).toBe(503);
    expect(JSON.stringify(body)).toContain("chain 9 is not indexed yet: its indexer has not started");
  });

  it.each(paths)("%s %s returns 503 with the state of the indexer and its reason", async (_, path) => {
    await empty.pool.query(
      `INSERT INTO chain_progress (chain_id, state, reason, blocks_per_second, updated_at) VALUES (9, 'WAITING', 'no answer', 0, 0)
       ON CONFLICT DO NOTHING`,
    );
    const { status, body } = await other.get(path);
    expect(status).toBe(503);
    expect(JSON.stringify(body)).toContain("chain 9 is not indexed yet (WAITING): no answer");
  });

  it.each([
    ["evmBlocks", "filter: { fromBlock: 1 }"],
    ["evmTransactions", "filter: {}"],
    ["evmTransactions", "filter: { fromTime: 1 }"],
    ["erc721Transfers", `address: "${ADDRESS}"`],
    ["erc1155Transfers", `address: "${ADDRESS}"`],
  ])("the graph refuses %s(%s)", async (field, args) => {
    const query = `{ ${field}(chainId: "9", ${args}) { pageInfo { endCursor } } }`;
    const { body } = await other.get(`/graphql?query=${encodeURIComponent(query)}`);
    expect(body).toMatchObject({
      errors: [{ message: expect.stringContaining("is not indexed yet"), extensions: { code: "UNAVAILABLE" } }],
    });
  });

  it("the graph refuses to read the metadata of an NFT again, with the state of the indexer", async () => {
    const query = `mutation { reindexNft(chainId: "9", address: "${ADDRESS}", tokenId: "1") }`;
    const answer = await ask(query, other);
    expect(answer).toMatchObject({
      errors: [{ message: expect.stringMatching(/^chain 9 is not indexed yet/), extensions: { code: "UNAVAILABLE" } }],
    });
  });

  it("the graph refuses to read the metadata of a contract again, with the state of the indexer", async () => {
    const answer = await ask(`mutation { reindexContract(chainId: "9", address: "${ADDRESS}") }`, other);
    expect(answer).toMatchObject({
      errors: [{ message: expect.stringMatching(/^chain 9 is not indexed yet/), extensions: { code: "UNAVAILABLE" } }],
    });
  });

  const KEY = `chainId: "9", address: "${ADDRESS}"`;
  it.each([
    `evmTransaction(chainId: "9", txHash: "0x${"ab".repeat(32)}") { txHash }`,
    'evmBlock(chainId: "9", blockNumber: "1") { blockHash }',
    `evmBlock(chainId: "9", blockHash: "0x${"ab".repeat(32)}") { blockHash }`,
    `erc20Token(${KEY}) { name }`,
    `erc721Token(${KEY}, tokenId: "1") { name }`,
    `erc1155Token(${KEY}, tokenId: "1") { tokenUri }`,
    `nftCollection(${KEY}) { name }`,
    `contract(${KEY}) { address }`,
    `wallet(address: "${ADDRESS}") { contract { address } }`,
    `wallet(address: "${ADDRESS}") { erc20Token { name } }`,
    `wallet(address: "${ADDRESS}") { isContract }`,
    `wallet(address: "${ADDRESS}") { nativeBalance { balance } }`,
  ])("the graph refuses %s with the state of the indexer", async (field) => {
    const { body } = await other.get(`/graphql?query=${encodeURIComponent(`{ ${field} }`)}`);
    expect(body).toMatchObject({
      errors: [{ message: expect.stringMatching(/^chain 9 is not indexed yet/), extensions: { code: "UNAVAILABLE" } }],
    });
  });
});

describe("before a network is indexed", () => {
  it("every path returns 503 with the reason, and the graph lists the chains", async () => {
    await using empty = await createTestDatabase();
    await empty.pool.query(
      `INSERT INTO primary_progress (network_id, chain, state, reason, blocks_per_second, updated_at)
       VALUES (76001, 'P', 'STOPPED', 'the node is of network 5', 0, 0)`,
    );
    const config = { ...testConfig(), primaryNetworks: servedNetworks(ALPHA) };
    await using other = await startStack({ database: empty, config });
    for (const path of ["/v1/networks/fuji/subnets", "/v1/networks/fuji/blockchains/x-chain/transactions"]) {
      const message = "network fuji is not indexed yet (p-chain is STOPPED): the node is of network 5";
      expect(await other.get(path)).toMatchObject({ status: 503, body: { message } });
    }
    const query = "{ primaryNetworks { network addressPrefix chains { chainName blockchainId state } } }";
    const { body } = await other.get(`/graphql?query=${encodeURIComponent(query)}`);
    expect(body).toEqual({
      data: {
        primaryNetworks: [
          {
            network: "FUJI",
            addressPrefix: null,
            chains: [
              { chainName: "p-chain", blockchainId: null, state: "STOPPED" },
              { chainName: "x-chain", blockchainId: null, state: null },
              { chainName: "c-chain", blockchainId: null, state: null },
            ],
          },
        ],
      },
    });
  });
});
