import type { ExecutionResult } from "graphql";
import { formatAddress } from "../../core/formats/bech32.ts";
import { formatId, formatNodeId } from "../../core/formats/id-text.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { createSubgraph as createEvmSubgraph } from "../../subgraphs/evm/subgraph.ts";
import { createSubgraph as createPrimaryNetworkSubgraph } from "../../subgraphs/primary-network/subgraph.ts";
import { statementsOf } from "../support/database/statements.ts";
import { isFullRun } from "../support/full.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { serveGateway, serveGraph, serveMetricsSubgraph } from "./served.ts";

/** A vertex and a C-Chain block, which the recording does not have. */
const VERTEX = "0a".repeat(32);
const C_BLOCK = "0b".repeat(32);

let database: Awaited<ReturnType<typeof indexedAlphaNetwork>>;
let served: Awaited<ReturnType<typeof serveGraph>>;

beforeAll(async () => {
  database = await indexedAlphaNetwork();
  const networkId = database.config.primaryNetworks[0]?.networkId;
  await database.pool.query(
    `INSERT INTO x_chain_vertices VALUES (${networkId}, 0, '\\x${VERTEX}', '{}', 3, 1700000000, '{}', 9)`,
  );
  await database.pool.query(
    `INSERT INTO primary_blocks (network_id, chain, block_number, block_hash, parent_hash, block_type, block_timestamp,
       tx_hashes, size_bytes) VALUES (${networkId}, 'C', 900, '\\x${C_BLOCK}', '', 'EVM', 1700000000, '{}', 9)`,
  );
  served = await serveGraph({ database, config: database.config });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** Of every type, a field that another subgraph resolves. */
const FIELDS = `__typename
  ... on Chain { chainName }
  ... on Blockchain { blockchainName }
  ... on Subnet { createBlockIndex }
  ... on L1Validator { validationIdHex }
  ... on ValidatorNode { validators(first: 1) { validators: nodes { nodeId } } }
  ... on EvmBlock { parentHash }
  ... on PrimaryNetworkBlock { blockType }
  ... on XChainVertex { vertexHeight }
  ... on EvmTransaction { blockIndex }
  ... on PrimaryNetworkTransaction { txType }
  ... on IcmEvent { messageId }
  ... on EvmAddress { contract { deployment { opcode } } erc20Token { decimals } chain { chainName } }
  ... on PrimaryNetworkAddress { address chainNames }
  ... on Erc20Token { name }
  ... on NftCollection { name contract { deployment { opcode } } }`;

async function ask(text: string, url = served.url, fields = FIELDS): Promise<ExecutionResult> {
  const query = `query ($text: String!) { search(text: $text) { results { ${fields} } hasMore notSearched } }`;
  const body = JSON.stringify({ query, variables: { text } });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body };
  return (await (await fetch(url, init)).json()) as ExecutionResult;
}

/** The first row of a statement, with bytes as hex without `0x`. */
async function rowOf(statement: string): Promise<Readonly<Record<string, string>>> {
  const { rows } = await database.pool.query<Record<string, Buffer | string>>(statement);
  const hex = (value: Buffer | string) => (Buffer.isBuffer(value) ? value.toString("hex") : String(value));
  return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, value]) => [name, hex(value)]));
}

const hex = (id: string): string => `0x${id}`;
const anyText = expect.any(String);
const created = { deployment: { opcode: expect.stringMatching(/^CREATE/) } };
const block = (chain: string) =>
  `SELECT block_hash AS id, block_type AS value FROM primary_blocks WHERE chain = '${chain}'`;
const transaction = (chain: string) =>
  `SELECT tx_hash AS id, tx_type AS value FROM primary_transactions WHERE chain = '${chain}' AND tx_type = 'BaseTx'`;

type Case = readonly [
  what: string,
  /** Selects the bytes or text that the search gets, as `id`, and a value of the result. */
  row: string,
  textOf: (id: string) => string,
  resultsOf: (value: string) => readonly object[],
];

const CASES: readonly Case[] = [
  [
    "a block number",
    "SELECT '7' AS id, block_hash AS value FROM evm_blocks WHERE chain_id = 760011 AND block_number = 6",
    String,
    (value) => [
      { __typename: "EvmBlock", parentHash: hex(value) },
      { __typename: "EvmBlock", parentHash: anyText },
      { __typename: "PrimaryNetworkBlock", blockType: anyText },
      { __typename: "PrimaryNetworkBlock", blockType: anyText },
    ],
  ],
  [
    "the hash of an EVM block",
    "SELECT block_hash AS id, parent_hash AS value FROM evm_blocks WHERE block_number = 5",
    hex,
    (value) => [{ __typename: "EvmBlock", parentHash: hex(value) }],
  ],
  [
    "the id of a P-Chain block",
    block("P"),
    formatId,
    (blockType) => [{ __typename: "PrimaryNetworkBlock", blockType }],
  ],
  [
    "the id of an X-Chain block",
    block("X"),
    formatId,
    (blockType) => [{ __typename: "PrimaryNetworkBlock", blockType }],
  ],
  ["the hash of a C-Chain block", block("C"), hex, (blockType) => [{ __typename: "PrimaryNetworkBlock", blockType }]],
  [
    "a vertex",
    "SELECT vertex_hash AS id, vertex_height AS value FROM x_chain_vertices",
    formatId,
    (value) => [{ __typename: "XChainVertex", vertexHeight: value }],
  ],
  [
    "the hash of an EVM transaction",
    "SELECT tx_hash AS id, block_index AS value FROM evm_transactions ORDER BY block_index DESC",
    hex,
    (value) => [{ __typename: "EvmTransaction", blockIndex: Number(value) }],
  ],
  [
    "a P-Chain transaction",
    transaction("P"),
    formatId,
    () => [{ __typename: "PrimaryNetworkTransaction", txType: "BASE_TX" }],
  ],
  [
    "an X-Chain transaction",
    transaction("X"),
    formatId,
    () => [{ __typename: "PrimaryNetworkTransaction", txType: "BASE_TX" }],
  ],
  [
    "an atomic transaction",
    transaction("C").replace("BaseTx", "ImportTx"),
    formatId,
    () => [{ __typename: "PrimaryNetworkTransaction", txType: "IMPORT_TX" }],
  ],
  [
    "a subnet",
    "SELECT subnet_id AS id, create_block_number AS value FROM subnets",
    formatId,
    (createBlockIndex) => [
      { __typename: "Subnet", createBlockIndex },
      { __typename: "PrimaryNetworkTransaction", txType: "CREATE_SUBNET_TX" },
    ],
  ],
  [
    "a blockchain",
    "SELECT blockchain_id AS id, name AS value FROM blockchains WHERE evm_chain_id = 760012",
    formatId,
    (blockchainName) => [
      { __typename: "Chain", chainName: "Moraine EVM alpha" },
      { __typename: "Blockchain", blockchainName },
      { __typename: "PrimaryNetworkTransaction", txType: "CREATE_CHAIN_TX" },
    ],
  ],
  [
    "an L1 validation",
    "SELECT validation_id AS id, validation_id AS value FROM l1_validators",
    formatId,
    (value) => [{ __typename: "L1Validator", validationIdHex: hex(value) }],
  ],
  [
    "a node",
    "SELECT node_id AS id, node_id AS value FROM stakers WHERE kind = 'VALIDATOR'",
    formatNodeId,
    (value) => [{ __typename: "ValidatorNode", validators: { validators: [{ nodeId: formatNodeId(value) }] } }],
  ],
  [
    "an interchain message",
    "SELECT message_id AS id, message_id AS value FROM icm_events",
    hex,
    (value) => [{ __typename: "IcmEvent", messageId: hex(value) }],
  ],
  [
    "a Bech32 address",
    "SELECT address AS id, address AS value FROM primary_address_transactions WHERE chain = 'C'",
    (id) => formatAddress({ chain: "X", prefix: "custom", address: id }),
    (value) => [
      {
        __typename: "PrimaryNetworkAddress",
        address: formatAddress({ chain: null, prefix: "custom", address: value }),
        chainNames: expect.arrayContaining(["c-chain"]),
      },
    ],
  ],
  [
    "the address of a token",
    "SELECT address AS id, decimals AS value FROM erc20_tokens WHERE symbol = 'MKTA' AND chain_id = 760011",
    hex,
    (decimals) => [
      {
        __typename: "EvmAddress",
        contract: created,
        erc20Token: { decimals: Number(decimals) },
        chain: { chainName: "C-Chain" },
      },
    ],
  ],
  [
    "a token symbol",
    "SELECT 'mkta' AS id, name AS value FROM erc20_tokens WHERE symbol = 'MKTA'",
    String,
    (name) => [
      { __typename: "Erc20Token", name },
      { __typename: "Erc20Token", name },
    ],
  ],
  [
    "the beginning of a collection's name",
    "SELECT 'boulder d' AS id, name AS value FROM nft_contracts WHERE name LIKE 'Boulder D%'",
    String,
    (name) => [
      { __typename: "NftCollection", name, contract: created },
      { __typename: "NftCollection", name, contract: created },
    ],
  ],
];

describe("search", () => {
  it.each(CASES)("finds %s, which its own subgraph completes", async (_, row, textOf, resultsOf) => {
    const { id = "", value = "" } = await rowOf(`${row} LIMIT 1`);
    expect(await ask(textOf(id))).toEqual({
      data: { search: { results: resultsOf(value), hasMore: false, notSearched: [] } },
    });
  });

  it("names the type of each result if no field of another subgraph is selected", async () => {
    const results = ["EvmBlock", "EvmBlock", "PrimaryNetworkBlock", "PrimaryNetworkBlock"];
    expect(await ask("7", served.url, "__typename")).toEqual({
      data: { search: { results: results.map((__typename) => ({ __typename })), hasMore: false, notSearched: [] } },
    });
  });

  it("reads the blocks of all chains in one statement for each chain or network", async () => {
    const statements = await statementsOf(() => ask("9"));
    // The search: two kinds on each of two EVM chains, of tokens too, and two on the network. Then the blocks of each.
    expect(statements).toHaveLength(8 + 3);
  });

  it("continues after the cursor of its last result, for the same text only", async () => {
    interface Found {
      readonly results: readonly { readonly name: string }[];
      readonly endCursor: string | null;
    }
    const page = async (text: string, after: string): Promise<Found> => {
      const query = `{ search(text: "${text}", first: 2, after: "${after}") { results { ... on Erc20Token { name chainId address } } endCursor } }`;
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ query }) };
      const answer = (await (await fetch(served.url, init)).json()) as { data: { search: Found }; errors?: unknown };
      return answer.data.search;
    };
    const first = await page("t", "");
    const second = await page("t", first.endCursor ?? "");
    expect([...first.results, ...second.results]).toHaveLength(4);
    expect(new Set([...first.results, ...second.results].map((one) => JSON.stringify(one))).size).toBe(4);
    expect(await page("to", first.endCursor ?? "")).toBeNull();
  });

  it("is refused with the rule for a text that cannot be searched", async () => {
    const { errors } = await ask("x".repeat(201));
    const message = "text must have 1 to 200 characters, got 201";
    expect(errors).toEqual([
      expect.objectContaining({ message, extensions: expect.objectContaining({ code: "INVALID_PARAMETER" }) }),
    ]);
  });

  (isFullRun ? it : it.skip)("gives the same answers if the metrics subgraph has a server of its own", async () => {
    const { config } = database;
    const logger = createLogger("fatal");
    await using metrics = await serveMetricsSubgraph({ database, config });
    await using evm = await createEvmSubgraph({ database, config, logger });
    const primary = await createPrimaryNetworkSubgraph({ database, config, logger });
    await using gateway = await serveGateway([evm, primary, { name: "metrics", url: metrics.url }]);
    for (const text of ["7", formatId(VERTEX), "mkta"]) expect(await ask(text, gateway.url)).toEqual(await ask(text));
  });
});
