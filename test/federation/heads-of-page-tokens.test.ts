import { readFileSync } from "node:fs";
import { getNamedType, isObjectType } from "graphql";
import { formatId, formatNodeId } from "../../core/formats/id-text.ts";
import { REST_SCHEMA, SCHEMA_HEADER } from "../../core/graph/rest-schema.ts";
import { createPlanner } from "../../gateway/plan/planner.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { ROUTES } from "../../rest-compat/routes.ts";
import { type Api, startApi } from "../conformance/api.ts";

const CHAIN = 760011;
const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
const CALLED = "0x8294da8adfd6a2810147e314843a2a6983270c94";
const TOKEN = "0xf9bfb6ee4c65e51ccac3b9e13fd879c11be9e430";
const NETWORK = "/v1/networks/fuji";

let api: Api;
/** Values that lead to lists of more than one item. */
let at: Readonly<Record<string, string>>;
beforeAll(async () => {
  api = await startApi();
  await addSecondItems();
  at = await parents();
}, 60_000);
afterAll(() => api[Symbol.asyncDispose]());

/**
 * The recording has one deployment in each transaction and of each contract, one L1 validator of each node, blocks of one day, no
 * vertices and no exceptions.
 */
async function addSecondItems(): Promise<void> {
  await api.pool.query(`INSERT INTO evm_deployments SELECT (jsonb_populate_record(d,
    jsonb_build_object('trace_index', d.trace_index + 1))).* FROM evm_deployments d WHERE chain_id = ${CHAIN}`);
  await api.pool.query(`INSERT INTO evm_activity SELECT (jsonb_populate_record(a,
    jsonb_build_object('period_start', a.period_start - 86400))).* FROM evm_activity a
    WHERE chain_id = ${CHAIN} AND interval = 'DAY' ON CONFLICT DO NOTHING`);
  await api.pool.query(`INSERT INTO l1_validators SELECT (jsonb_populate_record(v, jsonb_build_object(
    'validation_id', '\\x' || encode(sha256(v.validation_id), 'hex'), 'validator_seq', v.validator_seq + 1000))).* FROM l1_validators v`);
  await api.pool.query(`INSERT INTO x_chain_vertices (network_id, vertex_index, vertex_hash, parent_hashes, vertex_height, vertex_timestamp,
      tx_hashes, size_bytes)
    SELECT network_id, n, sha256(n::text::bytea), '{}', n, n, '{}', 1 FROM primary_networks, generate_series(0, 1) n`);
  await api.pool.query(`INSERT INTO primary_exceptions (network_id, chain, tx_seq, exception_index, tx_hash, kind)
    SELECT network_id, 'X', n, -1, sha256(n::text::bytea), 'NO_EFFECT' FROM primary_networks, generate_series(0, 1) n`);
}

async function oneValue(column: string, from: string): Promise<string> {
  const { rows } = await api.pool.query<{ value: string }>(`SELECT ${column} AS value FROM ${from} LIMIT 1`);
  return String(rows[0]?.value);
}

const hex = (column: string): string => `'0x' || encode(${column}, 'hex')`;
const ON_CHAIN = `WHERE chain_id = ${CHAIN}`;

/** A transaction with the most rows in a table. */
const transactionOf = (table: string): Promise<string> =>
  oneValue(
    hex("tx_hash"),
    `evm_transactions JOIN (SELECT block_number, block_index FROM ${table} ${ON_CHAIN} GROUP BY 1, 2 ORDER BY count(*) DESC LIMIT 1)
     most USING (block_number, block_index) ${ON_CHAIN}`,
  );

/** The value of a column that most rows have. */
const most = (column: string, table: string, where: string): Promise<string> =>
  oneValue(column, `${table} ${where} GROUP BY ${column} ORDER BY count(*) DESC`);

async function idOf(value: Promise<string>, format: (hex: string) => string): Promise<string> {
  return format((await value).slice(2));
}

async function parents(): Promise<Record<string, string>> {
  const stakers = (kind: string) => `WHERE kind = '${kind}'`;
  return {
    logs: await transactionOf("evm_logs"),
    erc20: await transactionOf("erc20_transfers"),
    erc721: await transactionOf("erc721_transfers"),
    erc1155: await transactionOf("erc1155_transfers"),
    internal: await transactionOf("evm_internal_transactions"),
    icm: await transactionOf("icm_events"),
    deployments: await transactionOf("evm_deployments"),
    contract: await most(hex("address"), "evm_deployments", ON_CHAIN),
    block: await most("block_number", "evm_transactions", ON_CHAIN),
    collection: await most(hex("token_address"), "nft_holders", `${ON_CHAIN} AND balance > 0`),
    nftHolder: await most(hex("address"), "nft_holdings", `${ON_CHAIN} AND balance > 0`),
    erc20Holder: await most(hex("address"), "erc20_holders", `${ON_CHAIN} AND balance > 0`),
    erc721Wallet: await most(hex("to_address"), "erc721_transfers", ON_CHAIN),
    erc1155Wallet: await most(hex("to_address"), "erc1155_transfers", ON_CHAIN),
    message: await most(hex("message_id"), "icm_events", "WHERE true"),
    validatorSubnet: await idOf(most(hex("subnet_id"), "stakers", stakers("VALIDATOR")), formatId),
    validatorNode: await idOf(most(hex("node_id"), "stakers", stakers("VALIDATOR")), formatNodeId),
    delegatorNode: await idOf(most(hex("node_id"), "stakers", stakers("DELEGATOR")), formatNodeId),
    validation: await idOf(most(hex("validator_tx_hash"), "stakers", stakers("DELEGATOR")), formatId),
    l1Subnet: await idOf(most(hex("subnet_id"), "l1_validators", "WHERE is_active"), formatId),
    l1Node: await idOf(most(hex("node_id"), "l1_validators", "WHERE true"), formatNodeId),
    rewardNode: await idOf(most(hex("node_id"), "primary_rewards", "WHERE true"), formatNodeId),
    proposer: await idOf(
      most(hex("node_id"), "primary_blocks", "WHERE chain = 'P' AND node_id IS NOT NULL"),
      formatNodeId,
    ),
    cBlock: await most("block_number", "primary_transactions", "WHERE chain = 'X' AND block_number IS NOT NULL"),
  };
}

/** A page of one item. `$token` is the token of the page before. */
const PAGE = "first: 1, after: $token";
const LIST = `{ nextPageToken }`;
const below = (parent: string, list: string): string => `${parent} { list: ${list} ${LIST} }`;
const ofChain = (list: string): string => below(`chain(chainId: "${CHAIN}")`, list);
const ofTransaction = (list: string, txHash = "") =>
  below(`evmTransaction(chainId: "${CHAIN}", txHash: "${txHash}")`, `${list}(${PAGE})`);
const ofAddress = (list: string, address = "") => below(`address(chainId: "${CHAIN}", address: "${address}")`, list);
const ofErc20 = (list: string) => below(`erc20Token(chainId: "${CHAIN}", address: "${TOKEN}")`, list);
const ofNode = (list: string, nodeId = "", more = "") =>
  below(`validatorNode(network: FUJI, nodeId: "${nodeId}")`, `${list}(${PAGE}${more})`);
const ofSubnet = (list: string, subnetId = "", more = "") =>
  below(`subnet(network: FUJI, subnetId: "${subnetId}")`, `${list}(${PAGE}${more})`);
const root = (field: string, args: string): string => `list: ${field}(${PAGE}, ${args}) ${LIST}`;
const onChain = (field: string, address = "", more = ""): string =>
  root(field, `chainId: "${CHAIN}"${address && `, address: "${address}"`}${more}`);
const onNetwork = (field: string, more = ""): string => root(field, `network: FUJI${more}`);
const INACTIVE = ", includeInactiveL1Validators: true";

/** Every list of the graph that comes from blocks: the selection of one page of it. */
const GRAPH_LISTS: Readonly<Record<string, () => string>> = {
  "EvmAddress.erc20Balances": () => ofAddress(`erc20Balances(${PAGE})`, at["erc20Holder"]),
  "EvmAddress.nfts": () => ofAddress(`nfts(${PAGE})`, at["nftHolder"]),
  "Contract.deployments": () =>
    below(`contract(chainId: "${CHAIN}", address: "${at["contract"]}")`, `deployments(${PAGE})`),
  "Chain.activity": () => ofChain(`activity(interval: DAY, ${PAGE})`),
  "Chain.averageTps": () => ofChain(`averageTps(${PAGE})`),
  "EvmTransaction.logs": () => ofTransaction("logs", at["logs"]),
  "EvmTransaction.erc20Transfers": () => ofTransaction("erc20Transfers", at["erc20"]),
  "EvmTransaction.erc721Transfers": () => ofTransaction("erc721Transfers", at["erc721"]),
  "EvmTransaction.erc1155Transfers": () => ofTransaction("erc1155Transfers", at["erc1155"]),
  "EvmTransaction.internalTransactions": () => ofTransaction("internalTransactions", at["internal"]),
  "EvmTransaction.icmEvents": () => ofTransaction("icmEvents", at["icm"]),
  "EvmTransaction.deployments": () => ofTransaction("deployments", at["deployments"]),
  "Erc20Token.transfers": () => ofErc20(`transfers(${PAGE})`),
  "Erc20Token.holders": () => ofErc20(`holders(${PAGE})`),
  "Erc20Token.holdersAbove": () => ofErc20(`holdersAbove(threshold: "0", ${PAGE})`),
  "EvmBlock.transactions": () =>
    below(`evmBlock(chainId: "${CHAIN}", blockNumber: "${at["block"]}")`, `transactions(${PAGE})`),
  "NftCollection.holders": () =>
    below(`nftCollection(chainId: "${CHAIN}", address: "${at["collection"]}")`, `holders(${PAGE})`),
  "Query.evmBlocks": () => onChain("evmBlocks"),
  "Query.erc20Transfers": () => onChain("erc20Transfers", WALLET),
  "Query.erc721Transfers": () => onChain("erc721Transfers", at["erc721Wallet"]),
  "Query.erc1155Transfers": () => onChain("erc1155Transfers", at["erc1155Wallet"]),
  "Query.icmEvents": () => root("icmEvents", `messageId: "${at["message"]}"`),
  "Query.internalTransactions": () => onChain("internalTransactions", CALLED),
  "Query.evmTransactions": () => onChain("evmTransactions"),
  "Query.averageTps": () => onChain("averageTps"),
  "Query.chainMetric": () => onChain("chainMetric", "", ", metric: TX_COUNT"),
  "Query.erc20HoldersAbove": () => onChain("erc20HoldersAbove", TOKEN, ', threshold: "0"'),
  "Query.primaryNetworkBlocks": () => onNetwork("primaryNetworkBlocks", ', blockchainId: "p-chain"'),
  "Query.delegators": () => onNetwork("delegators"),
  "Query.l1Validators": () => onNetwork("l1Validators", INACTIVE),
  "Query.rewards": () => onNetwork("rewards", `, nodeIds: ["${at["rewardNode"]}"]`),
  "Query.subnets": () => onNetwork("subnets"),
  "Query.primaryNetworkTransactions": () => onNetwork("primaryNetworkTransactions", ', blockchainId: "c-chain"'),
  "Query.validators": () => onNetwork("validators"),
  "Query.xChainVertices": () => onNetwork("xChainVertices", ', blockchainId: "x-chain"'),
  "Subnet.validators": () => ofSubnet("validators", at["validatorSubnet"]),
  "Subnet.l1Validators": () => ofSubnet("l1Validators", at["l1Subnet"], INACTIVE),
  "ValidatorNode.validators": () => ofNode("validators", at["validatorNode"]),
  "ValidatorNode.delegators": () => ofNode("delegators", at["delegatorNode"]),
  "ValidatorNode.l1Validators": () => ofNode("l1Validators", at["l1Node"], INACTIVE),
  "ValidatorNode.rewards": () => ofNode("rewards", at["rewardNode"]),
  "PrimaryChainIndexing.exceptions": () =>
    `primaryNetworks { ${below('chains(chainName: "x-chain")', `exceptions(${PAGE})`)} }`,
  "PrimaryNetworkBlock.transactions": () =>
    below(
      `primaryNetworkBlock(network: FUJI, blockchainId: "x-chain", blockNumber: "${at["cBlock"]}")`,
      `transactions(${PAGE})`,
    ),
  "Validator.delegators": () => below(`validator(network: FUJI, txHash: "${at["validation"]}")`, `delegators(${PAGE})`),
};

/** Every list route of REST: its path without page parameters. */
const REST_LISTS: Readonly<Record<string, () => string>> = {
  E5: () => `${NETWORK}/blockchains/p-chain/transactions`,
  E9: () => `/v1/chains/${CHAIN}/addresses/${WALLET}/transactions:listErc20`,
  E10: () => `/v1/chains/${CHAIN}/addresses/${CALLED}/transactions:listInternals`,
  E11: () => `${NETWORK}/rewards?nodeIds=${at["rewardNode"]}`,
  E12: () => `${NETWORK}/validators/${at["validatorNode"]}`,
  E13: () => `${NETWORK}/delegators`,
  E14: () => `/v1/chains/${CHAIN}/blocks`,
  E15: () => `${NETWORK}/blockchains/p-chain/nodes/${at["proposer"]}/blocks`,
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
    await api.pool.query("UPDATE chain_heads SET block_number = block_number + $1", [blocks]);
    await api.pool.query("UPDATE primary_heads SET block_number = block_number + $1, raw_seq = raw_seq + $1", [blocks]);
  };
  await add(more);
  try {
    return await run();
  } finally {
    await add(-more);
  }
}

interface GraphAnswer {
  readonly data: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

async function ask(list: string, token: string | null): Promise<GraphAnswer> {
  const body = JSON.stringify({ query: `query ($token: String) { ${list} }`, variables: { token } });
  const headers = { "content-type": "application/json", [SCHEMA_HEADER]: REST_SCHEMA };
  return (await api.get("/graphql", { method: "POST", body, headers })).body as GraphAnswer;
}

const tokenIn = (answer: unknown): string | undefined => /"nextPageToken":"([^"]+)"/.exec(JSON.stringify(answer))?.[1];
const BEHIND = expect.stringMatching(/^the page token or cursor is from a page that was read when more blocks were indexed than/);

describe("a page token of the graph that is used where fewer blocks are indexed than where it was made", () => {
  it("is tested for every list that comes from blocks", () => {
    const { schema } = createPlanner(committedSupergraph(), []);
    const lists = Object.values(schema.getTypeMap())
      .filter((type) => isObjectType(type))
      .flatMap((type) =>
        Object.values(type.getFields())
          .filter(({ args }) => args.some(({ name }) => name === "after"))
          .map(({ name }) => `${getNamedType(type).name}.${name}`),
      );
    expect(lists.filter((name) => name !== "Query.operations").sort()).toEqual(Object.keys(GRAPH_LISTS).sort());
  });

  it.each(Object.keys(GRAPH_LISTS))(
    "is unavailable in %s, and valid again where as many or more are indexed",
    async (name) => {
      const list = GRAPH_LISTS[name]?.() ?? "";
      const first = await ask(list, null);
      expect([name, first.errors]).toEqual([name, undefined]);
      const token = tokenIn(first) ?? "";
      expect([list, token]).not.toEqual([list, ""]);
      const { errors } = await withBlocks(-1, () => ask(list, token));
      expect(errors).toEqual([
        expect.objectContaining({ message: BEHIND, extensions: expect.objectContaining({ code: "UNAVAILABLE" }) }),
      ]);
      for (const more of [0, 1]) expect((await withBlocks(more, () => ask(list, token))).errors).toBeUndefined();
    },
  );
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
          ? await ask(GRAPH_LISTS["Query.averageTps"]?.() ?? "", null)
          : (await api.get(withQuery("pageSize=1"))).body;
      const next = withQuery(`pageToken=${tokenIn(first)}`);
      const behind = await withBlocks(-1, () => api.get(next));
      expect([path, behind.status]).toEqual([path, 503]);
      expect(behind.headers.get("retry-after")).toMatch(/^\d+$/);
      expect(behind.body).toEqual({
        message: path.includes("/v1/networks") || path.includes("/v1/chains") ? BEHIND : [BEHIND],
        error: "Service Unavailable",
        statusCode: 503,
      });
      for (const more of [0, 1])
        expect([path, (await withBlocks(more, () => api.get(next))).status]).toEqual([path, 200]);
    },
  );
});
