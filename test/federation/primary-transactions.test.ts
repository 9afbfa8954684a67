import type { ExecutionResult } from "graphql";
import { REST_SCHEMA, SCHEMA_HEADER } from "../../core/graph/rest-schema.ts";
import { idText } from "../../subgraphs/primary-network/identifiers/ids.ts";
import { statementsOf } from "../support/database/statements.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { type Served, serveGateway, serveGraph, servePrimarySubgraph, serveSubgraph } from "./served.ts";

const OWNER = "custom1x5kfzzug3dhx2epxx76cvh5jq7z8xw9zk50dr9";
const LIST = 'network: FUJI, blockchainId: "p-chain"';

const AMOUNT = "{ assetId name symbol denomination type amount }";
const UTXO = `{ utxoId txHash outputIndex addresses threshold asset ${AMOUNT} amount assetId createdOnChainId consumedOnChainId
  blockNumber blockTimestamp consumingTxHash utxoBytes utxoType staked rewardType platformLocktime stakeableLocktime }`;
const TRANSACTION = `txHash txType blockTimestamp blockNumber blockHash memo consumedUtxos ${UTXO} emittedUtxos ${UTXO}
  value ${AMOUNT} amountBurned ${AMOUNT} amountStaked ${AMOUNT} amountUnlocked ${AMOUNT} startTimestamp nodeId subnetId
  estimatedReward rewardTxHash rewardAddresses l1ValidatorDetails { validationId weight balanceChange }
  blockchainInfo { chainName genesisData } subnetOwnershipInfo { addresses }`;

let database: Awaited<ReturnType<typeof indexedAlphaNetwork>>;
let local: Awaited<ReturnType<typeof serveGraph>>;

beforeAll(async () => {
  database = await indexedAlphaNetwork();
  local = await serveGraph({ database, config: database.config });
  await ask("{ primaryNetworks { network } }");
});
afterAll(async () => {
  await local[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

// biome-ignore lint/suspicious/noExplicitAny: answers of the graph, as they come
type Data = Record<string, any>;

async function ask(query: string, url = local.url): Promise<Data> {
  const { data, errors } = await answer(url, query);
  expect(errors).toBeUndefined();
  return data as Data;
}

async function answer(url: string, query: string): Promise<ExecutionResult> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", [SCHEMA_HEADER]: REST_SCHEMA },
    body: JSON.stringify({ query }),
  };
  return (await (await fetch(url, init)).json()) as ExecutionResult;
}

/** CB58 id of the newest transaction of a type, and the graph's answer for these fields of it. */
async function newest(txType: string, chain: string, selection: string): Promise<Data> {
  const { rows } = await database.pool.query<{ id: string }>(
    `SELECT '0x' || encode(tx_hash, 'hex') AS id FROM primary_transactions WHERE tx_type = $1 AND chain = $2
     ORDER BY tx_seq DESC LIMIT 1`,
    [txType, chain],
  );
  const txHash = idText(rows[0]?.id as string);
  const { one } = await ask(
    `{ one: primaryNetworkTransaction(network: TESTNET, txHash: "${txHash}") { txHash ${selection} } }`,
  );
  expect(one.txHash).toBe(txHash);
  return one;
}

describe("a transaction of the primary network joins", () => {
  it("the stake that it ends; the stake joins the transaction that ends it; both join their validator", async () => {
    const { txHash, stakingTransaction, node, block } = await newest(
      "RewardValidatorTx",
      "P",
      `stakingTransaction { txHash endTimestamp rewardTransaction { txHash } validator { txHash } delegator { txHash } subnet { subnetId } }
       node { nodeId } nodeId validator { txHash } delegator { txHash } block { blockNumber blockType } blockNumber`,
    );
    expect(stakingTransaction.rewardTransaction).toEqual({ txHash });
    const stakers = [stakingTransaction.validator, stakingTransaction.delegator].filter((one) => one !== null);
    expect(stakers).toEqual([{ txHash: stakingTransaction.txHash }]);
    expect(stakingTransaction.subnet.subnetId).toMatch(/^[1-9A-Za-z]{37,50}$/);
    expect([node.nodeId, block.blockType]).toEqual([expect.stringMatching(/^NodeID-/), "BanffProposalBlock"]);
  });

  it("to its outputs, and outputs to the transactions that created and consumed them", async () => {
    const utxos = "emittedUtxos { txHash transaction { txHash } consumingTxHash consumingTransaction { txHash } }";
    const { txHash, emittedUtxos } = await newest("CreateSubnetTx", "P", utxos);
    for (const { transaction, consumingTxHash, consumingTransaction } of emittedUtxos) {
      expect(transaction).toEqual({ txHash });
      expect(consumingTransaction?.txHash ?? null).toBe(consumingTxHash);
    }
    expect(emittedUtxos.some((utxo: Data) => utxo["consumingTxHash"])).toBe(true);
  });

  it("to the subnet, the blockchain and the L1 validators that it creates", async () => {
    const subnet = await newest("CreateSubnetTx", "P", "subnet { subnetId }");
    expect(subnet["subnet"]).toEqual({ subnetId: subnet["txHash"] });
    const chain = await newest(
      "CreateChainTx",
      "P",
      "blockchain { blockchainId blockchainName } blockchainInfo { chainName }",
    );
    expect(chain["blockchain"]).toEqual({
      blockchainId: chain["txHash"],
      blockchainName: chain["blockchainInfo"].chainName,
    });
    const { l1ValidatorDetails } = await newest(
      "RegisterL1ValidatorTx",
      "P",
      "l1ValidatorDetails { validationId l1Validator { validationId } }",
    );
    expect(l1ValidatorDetails).toHaveLength(1);
    for (const { validationId, l1Validator } of l1ValidatorDetails) expect(l1Validator).toEqual({ validationId });
  });

  it("on the C-Chain to its block in the evm subgraph", async () => {
    for (const type of ["ImportTx", "ExportTx"]) {
      const { evmBlock, blockHash, block, vertex } = await newest(
        type,
        "C",
        "blockHash evmBlock { blockHash chain { chainId chainName } } block { blockHash } vertex { vertexHash }",
      );
      expect(evmBlock).toEqual({ blockHash, chain: { chainId: "760011", chainName: expect.any(String) } });
      expect([block?.blockHash ?? blockHash, vertex]).toEqual([blockHash, null]);
    }
    expect((await newest("BaseTx", "X", "evmBlock { blockHash }"))["evmBlock"]).toBeNull();
  });
});

describe("entities of the primary network", () => {
  it("are found by their keys, in the order of the request, and null if they are not indexed or not served", async () => {
    const { txHash, emittedUtxos } = await newest("ExportTx", "X", "emittedUtxos { utxoId }");
    const [{ utxoId }] = emittedUtxos;
    const nothing = idText(`0x${"11".repeat(32)}`);
    await using subgraph = await servePrimarySubgraph({ database, config: database.config });
    const keys = [
      { __typename: "PrimaryNetworkUtxo", network: "FUJI", utxoId },
      { __typename: "PrimaryNetworkTransaction", network: "FUJI", txHash },
      { __typename: "PrimaryNetworkTransaction", network: "FUJI", txHash: nothing },
      { __typename: "PrimaryNetworkUtxo", network: "FUJI", utxoId: nothing },
      { __typename: "PrimaryNetworkTransaction", network: "MAINNET", txHash },
      { __typename: "PrimaryNetworkUtxo", network: "MAINNET", utxoId },
    ];
    const literal = JSON.stringify(keys)
      .replace(/"(\w+)":/g, "$1:")
      .replace(/network:"(\w+)"/g, "network:$1");
    const { _entities } = await ask(
      `{ _entities(representations: ${literal.replace(/network:(\w+)/g, 'network:"$1"')}) { __typename
        ... on PrimaryNetworkUtxo { utxoId txHash } ... on PrimaryNetworkTransaction { txHash txType } } }`,
      subgraph.url,
    );
    expect(_entities).toEqual([
      { __typename: "PrimaryNetworkUtxo", utxoId, txHash },
      { __typename: "PrimaryNetworkTransaction", txHash, txType: "EXPORT_TX" },
      null,
      null,
      null,
      null,
    ]);
  });

  it("are null for an unknown id", async () => {
    const nothing = idText(`0x${"11".repeat(32)}`);
    expect(
      await ask(`{ primaryNetworkTransaction(network: FUJI, txHash: "${nothing}") { txHash }
        primaryNetworkUtxo(network: FUJI, utxoId: "${nothing}") { utxoId } }`),
    ).toEqual({ primaryNetworkTransaction: null, primaryNetworkUtxo: null });
  });
});

/** A query, and its number of statements for any page size, when its assets have been read before. */
const BUDGETS: readonly (readonly [rule: string, statements: number, query: (pageSize: number) => string])[] = [
  [
    "E5, a page of transactions: they, their outputs",
    2,
    (n) =>
      `{ primaryNetworkTransactions(${LIST}, first: ${n}) { pageInfo { endCursor } transactions: nodes { ${TRANSACTION} } } }`,
  ],
  [
    "E5, a page of an address's",
    2,
    (n) =>
      `{ primaryNetworkTransactions(${LIST}, first: ${n}, filter: { addresses: "${OWNER}", types: [BASE_TX, EXPORT_TX], fromTime: 1 }) { transactions: nodes { ${TRANSACTION} } } }`,
  ],
  [
    "E5, a page of the X-Chain's and one of the C-Chain's",
    4,
    (
      n,
    ) => `{ x: primaryNetworkTransactions(network: FUJI, blockchainId: "x-chain", first: ${n}) { transactions: nodes { ${TRANSACTION} } }
      c: primaryNetworkTransactions(network: FUJI, blockchainId: "c-chain", first: ${n}) { transactions: nodes { ${TRANSACTION} evmInputs { asset ${AMOUNT} } } } }`,
  ],
  [
    "transactions with their blocks and subnets",
    4,
    (n) =>
      `{ primaryNetworkTransactions(${LIST}, first: ${n}, filter: { addresses: "${OWNER}", types: ADD_SUBNET_VALIDATOR_TX }) { transactions: nodes { txHash block { blockType } subnet { subnetId } } } }`,
  ],
];

describe("a page of transactions costs a fixed number of statements", () => {
  it.each(BUDGETS)("%s: %i", async (_rule, statements, query) => {
    const counts = [];
    await ask(query(100));
    for (const pageSize of [1, 10, 100]) counts.push((await statementsOf(() => ask(query(pageSize)))).length);
    expect(counts).toEqual([statements, statements, statements]);
  });
});

const OPERATIONS: readonly string[] = [
  "{ primaryNetworks { network networkId addressPrefix genesisTimestamp avaxAssetId chains { chainName blockchainId blockNumber blockTimestamp txCount state } } }",
  "{ primaryNetworks(network: MAINNET) { network } again: primaryNetworks(network: TESTNET) { network } }",
  `{ primaryNetworkTransactions(${LIST}, first: 20) { transactions: nodes { ${TRANSACTION} } chainInfo { chainName network } } }`,
  `{ list: primaryNetworkTransactions(network: FUJI, blockchainId: "c-chain", first: 5) { transactions: nodes { txHash evmBlock { blockNumber gasUsed } evmInputs { fromAddress } evmOutputs { toAddress } } } }`,
  `query Q($types: [PrimaryNetworkTxType!] = [CREATE_CHAIN_TX]) { primaryNetworkTransactions(${LIST}, filter: { addresses: "P-${OWNER}", types: $types }) { transactions: nodes { txHash blockchainInfo { genesisData } } } }`,
  `{ primaryNetworkTransactions(${LIST}, first: 2, orderBy: { direction: ASC }) { transactions: nodes { consumedUtxos { transaction { txHash } } emittedUtxos { utxoId consumingTransaction { txHash block { blockNumber } } } } } chains { chains { chainId } } }`,
  `{ primaryNetworkTransactions(network: MAINNET, blockchainId: "p-chain") { __typename } }`,
  `{ primaryNetworkTransactions(network: FUJI, blockchainId: "q-chain") { __typename } }`,
  `{ primaryNetworkTransactions(${LIST}, filter: { types: BASE_TX }) { __typename } }`,
  `{ primaryNetworkTransactions(${LIST}, first: 101) { __typename } }`,
  `{ primaryNetworkTransactions(${LIST}, filter: { fromTime: -1 }) { __typename } }`,
  `{ primaryNetworkUtxo(network: FUJI, utxoId: "nothing") { utxoId } }`,
];

describe("the primary-network subgraph in this process and behind a URL", () => {
  const remote: Served[] = [];
  let general: Served;
  beforeAll(async () => {
    const primary = await servePrimarySubgraph({ database, config: database.config });
    const evm = await serveSubgraph({ database, config: database.config });
    const subgraphs = [
      { name: "evm", url: evm.url },
      { name: "primary-network", url: primary.url },
    ];
    general = await serveGateway(subgraphs);
    remote.push(general, primary, evm);
  });
  afterAll(async () => {
    for (const one of remote) await one[Symbol.asyncDispose]();
  });

  it.each(OPERATIONS)("give the same answer: %s", async (query) => {
    const [one, other] = await Promise.all([local.url, general.url].map((url) => answer(url, query)));
    expect(withoutTokens(one as ExecutionResult)).toEqual(withoutTokens(other as ExecutionResult));
  });
});

/** The answer without page tokens, which contain the time. */
function withoutTokens({ data, errors }: ExecutionResult): unknown {
  const text = JSON.stringify(data ?? null).replace(/"endCursor":"[^"]*"/g, '"endCursor":"…"');
  return { data: JSON.parse(text), errors: errors?.map(({ message, extensions }) => [message, extensions?.["code"]]) };
}
