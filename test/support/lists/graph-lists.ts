import { type GraphQLNamedType, getNamedType, isObjectType } from "graphql";
import type pg from "pg";
import { formatAddress } from "../../../core/formats/bech32.ts";
import { formatId, formatNodeId } from "../../../core/formats/id-text.ts";
import { REST_SCHEMA, SCHEMA_HEADER } from "../../../core/graph/rest-schema.ts";
import { createPlanner } from "../../../gateway/plan/planner.ts";
import { committedSupergraph } from "../../../gateway/supergraph.ts";
import { type Api, startApi } from "../../conformance/api.ts";

export const CHAIN = 760011;
export const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
export const CALLED = "0x8294da8adfd6a2810147e314843a2a6983270c94";
export const TOKEN = "0xf9bfb6ee4c65e51ccac3b9e13fd879c11be9e430";

/**
 * The recording has one deployment in each transaction and of each contract, one L1 validator of each node, blocks of one day, no
 * vertices and no exceptions.
 */
async function addSecondItems(pool: pg.Pool): Promise<void> {
  await pool.query(`INSERT INTO evm_deployments SELECT (jsonb_populate_record(d,
    jsonb_build_object('trace_index', d.trace_index + 1000))).* FROM evm_deployments d WHERE chain_id = ${CHAIN}`);
  await pool.query(`INSERT INTO evm_activity SELECT (jsonb_populate_record(a,
    jsonb_build_object('period_start', a.period_start - 86400))).* FROM evm_activity a
    WHERE chain_id = ${CHAIN} AND interval = 'DAY' ON CONFLICT DO NOTHING`);
  await pool.query(`INSERT INTO primary_activity SELECT (jsonb_populate_record(a,
    jsonb_build_object('period_start', a.period_start - 86400))).* FROM primary_activity a WHERE interval = 'DAY' ON CONFLICT DO NOTHING`);
  await pool.query(`INSERT INTO l1_validators SELECT (jsonb_populate_record(v, jsonb_build_object(
    'validation_id', '\\x' || encode(sha256(v.validation_id), 'hex'), 'validator_seq', v.validator_seq + 1000))).* FROM l1_validators v`);
  await pool.query("UPDATE validator_totals SET validator_count = 2 * validator_count WHERE kind = 'L1_VALIDATOR'");
  await pool.query(`INSERT INTO x_chain_vertices (network_id, vertex_index, vertex_hash, parent_hashes, vertex_height, vertex_timestamp,
      tx_hashes, size_bytes)
    SELECT network_id, n, sha256(n::text::bytea), '{}', n, n, '{}', 1 FROM primary_networks, generate_series(0, 1) n`);
  await pool.query(`INSERT INTO primary_exceptions (network_id, chain, tx_seq, exception_index, tx_hash, kind)
    SELECT network_id, 'X', n, -1, sha256(n::text::bytea), 'NO_EFFECT' FROM primary_networks, generate_series(0, 1) n`);
}

type OneValue = (column: string, from: string) => Promise<string>;

const oneValueOf =
  (pool: pg.Pool): OneValue =>
  async (column, from) => {
    const { rows } = await pool.query<{ value: string }>(`SELECT ${column} AS value FROM ${from} LIMIT 1`);
    return String(rows[0]?.value);
  };

const hex = (column: string): string => `'0x' || encode(${column}, 'hex')`;
const ON_CHAIN = `WHERE chain_id = ${CHAIN}`;

const TOKEN_ID = `${hex("token_address")} || ' ' || token_id`;

/** Values that lead to lists of more than one item. */
async function parentsIn(pool: pg.Pool): Promise<Record<string, string>> {
  const oneValue = oneValueOf(pool);
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
  /** The value of a column that as many rows have as a test can read page by page. */
  const few = (column: string, from: string): Promise<string> =>
    oneValue(column, `${from} GROUP BY ${column} HAVING count(*) BETWEEN 2 AND 300 ORDER BY count(*) DESC`);
  const call = await most(
    `${hex("to_address")} || ' 0x' || encode(substring(input FROM 1 FOR 4), 'hex')`,
    "evm_transactions",
    `${ON_CHAIN} AND octet_length(input) > 3 AND to_address IS NOT NULL`,
  );
  const [called = "", method = ""] = call.split(" ");
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
    called,
    method,
    logContract: await most(hex("address"), "evm_logs", ON_CHAIN),
    items: await most(hex("address"), "nft_items", ON_CHAIN),
    erc721Collection: await most(hex("token_address"), "erc721_transfers", ON_CHAIN),
    erc1155Collection: await most(hex("token_address"), "erc1155_transfers", ON_CHAIN),
    erc721Token: await most(TOKEN_ID, "erc721_transfers", ON_CHAIN),
    erc1155Token: await most(TOKEN_ID, "erc1155_transfers", ON_CHAIN),
    heldToken: await most(TOKEN_ID, "nft_holdings", `${ON_CHAIN} AND balance > 0 AND erc_type = 'ERC-1155'`),
    collection: await most(hex("token_address"), "nft_holders", `${ON_CHAIN} AND balance > 0`),
    nftHolder: await most(hex("address"), "nft_holdings", `${ON_CHAIN} AND balance > 0`),
    erc20Holder: await most(hex("address"), "erc20_holders", `${ON_CHAIN} AND balance > 0`),
    erc721Wallet: await most(hex("to_address"), "erc721_transfers", ON_CHAIN),
    erc1155Wallet: await most(hex("to_address"), "erc1155_transfers", ON_CHAIN),
    messenger: await most(hex("origin_sender_address"), "icm_messages", `WHERE source = '${CHAIN}'`),
    message: await most(hex("message_id"), "icm_events", "WHERE true"),
    validatorSubnet: await idOf(most(hex("subnet_id"), "stakers", stakers("VALIDATOR")), formatId),
    validatorNode: await idOf(most(hex("node_id"), "stakers", stakers("VALIDATOR")), formatNodeId),
    delegatorNode: await idOf(most(hex("node_id"), "stakers", stakers("DELEGATOR")), formatNodeId),
    validation: await idOf(most(hex("validator_tx_hash"), "stakers", stakers("DELEGATOR")), formatId),
    l1Subnet: await idOf(most(hex("subnet_id"), "l1_validators", "WHERE is_active"), formatId),
    l1Node: await idOf(most(hex("node_id"), "l1_validators", "WHERE true"), formatNodeId),
    l1Validator: await idOf(most(hex("validation_id"), "l1_validator_transactions", "WHERE true"), formatId),
    rewardNode: await idOf(most(hex("node_id"), "primary_rewards", "WHERE true"), formatNodeId),
    proposer: await idOf(
      most(hex("node_id"), "primary_blocks", "WHERE chain = 'P' AND node_id IS NOT NULL"),
      formatNodeId,
    ),
    validatorOwner: await idOf(most(hex("address"), "staker_owners", stakers("VALIDATOR")), formatOwner),
    delegatorOwner: await idOf(most(hex("address"), "staker_owners", stakers("DELEGATOR")), formatOwner),
    rewardOwner: await idOf(most(hex("address"), "reward_owners", "WHERE true"), formatOwner),
    pChainOwner: await idOf(most(hex("address"), "primary_address_transactions", "WHERE chain = 'P'"), formatOwner),
    outputOwner: await idOf(
      few(hex("addresses[1]"), "utxos WHERE chain = 'P' AND consumed_timestamp IS NULL"),
      formatOwner,
    ),
    asset: await idOf(few(hex("asset_id"), "utxos WHERE chain = 'X' AND consumed_timestamp IS NULL"), formatId),
    cBlock: await most("block_number", "primary_transactions", "WHERE chain = 'X' AND block_number IS NOT NULL"),
  };
}

const formatOwner = (address: string): string => formatAddress({ chain: null, prefix: "custom", address });

async function idOf(value: Promise<string>, format: (hex: string) => string): Promise<string> {
  return format((await value).slice(2));
}

/** The schema that clients see. */
export const { schema: CONSUMER_SCHEMA } = createPlanner(committedSupergraph(), []);

const isConnection = (type: GraphQLNamedType): boolean => isObjectType(type) && "pageInfo" in type.getFields();

/** All lists of the graph that come from blocks, by type and field. */
export const LIST_NAMES: readonly string[] = Object.values(CONSUMER_SCHEMA.getTypeMap())
  .filter((type) => isObjectType(type))
  .flatMap((type) =>
    Object.values(type.getFields())
      .filter(({ type }) => isConnection(getNamedType(type)))
      .map(({ name }) => `${type.name}.${name}`),
  )
  .filter((name) => name !== "Query.operations")
  .sort();

/** The selection of a page of each list of the graph that comes from blocks, by type and field. */
export type GraphLists = Readonly<Record<string, string>>;

/** `at` has the values that lead to the lists, by name. `page` are the arguments of a page, `selection` is selected of it. */
export function listsOf(at: Readonly<Record<string, string>>, page: string, selection: string): GraphLists {
  const below = (parent: string, list: string): string => `${parent} { list: ${list} ${selection} }`;
  const ofChain = (list: string): string => below(`chain(chainId: "${CHAIN}")`, list);
  const ofTransaction = (list: string, txHash = "") =>
    below(`evmTransaction(chainId: "${CHAIN}", txHash: "${txHash}")`, `${list}(${page})`);
  const ofAddress = (list: string, address = "") => below(`address(chainId: "${CHAIN}", address: "${address}")`, list);
  const ofAccount = (list: string, address = "") => below(`evmAccount(address: "${address}")`, `${list}(${page})`);
  const ofCollection = (list: string, address = "") =>
    below(`nftCollection(chainId: "${CHAIN}", address: "${address}")`, `${list}(${page})`);
  const ofToken = (field: string, list: string, token = "") => {
    const [address, tokenId] = token.split(" ");
    return below(`${field}(chainId: "${CHAIN}", address: "${address}", tokenId: "${tokenId}")`, `${list}(${page})`);
  };
  const ofErc20 = (list: string) => below(`erc20Token(chainId: "${CHAIN}", address: "${TOKEN}")`, list);
  const ofNode = (list: string, nodeId = "", more = "") =>
    below(`validatorNode(network: FUJI, nodeId: "${nodeId}")`, `${list}(${page}${more})`);
  const ofSubnet = (list: string, subnetId = "", more = "") =>
    below(`subnet(network: FUJI, subnetId: "${subnetId}")`, `${list}(${page}${more})`);
  const ofOwner = (list: string, address = "", more = "") =>
    below(`primaryNetworkAddress(network: FUJI, address: "${address}")`, `${list}(${page}${more})`);
  const ON_P_CHAIN = ', blockchainId: "p-chain"';
  const root = (field: string, args: string): string => `list: ${field}(${page}, ${args}) ${selection}`;
  const onChain = (field: string, address = "", more = ""): string =>
    root(field, `chainId: "${CHAIN}"${address && `, address: "${address}"`}${more}`);
  const onNetwork = (field: string, more = ""): string => root(field, `network: FUJI${more}`);
  const INACTIVE = ", filter: { statuses: [ACTIVE, INACTIVE, REMOVED] }";

  return {
    "EvmAddress.erc20Balances": ofAddress(`erc20Balances(${page})`, at["erc20Holder"]),
    "EvmAddress.nfts": ofAddress(`nfts(${page})`, at["nftHolder"]),
    "EvmAddress.transactions": ofAddress(`transactions(${page})`, WALLET),
    "EvmAddress.methodCalls": ofAddress(`methodCalls(method: "${at["method"]}", ${page})`, at["called"]),
    "EvmAddress.erc20Transfers": ofAddress(`erc20Transfers(${page})`, WALLET),
    "EvmAddress.erc721Transfers": ofAddress(`erc721Transfers(${page})`, at["erc721Wallet"]),
    "EvmAddress.erc1155Transfers": ofAddress(`erc1155Transfers(${page})`, at["erc1155Wallet"]),
    "EvmAddress.internalTransactions": ofAddress(`internalTransactions(${page})`, CALLED),
    "EvmAddress.icmMessages": ofAddress(`icmMessages(${page})`, at["messenger"]),
    "EvmAccount.icmMessages": ofAccount("icmMessages", at["messenger"]),
    "EvmAccount.transactions": ofAccount("transactions", WALLET),
    "EvmAccount.methodCalls": below(
      `evmAccount(address: "${at["called"]}")`,
      `methodCalls(method: "${at["method"]}", ${page})`,
    ),
    "EvmAccount.erc20Transfers": ofAccount("erc20Transfers", WALLET),
    "EvmAccount.erc721Transfers": ofAccount("erc721Transfers", at["erc721Wallet"]),
    "EvmAccount.erc1155Transfers": ofAccount("erc1155Transfers", at["erc1155Wallet"]),
    "EvmAccount.internalTransactions": ofAccount("internalTransactions", CALLED),
    "Contract.logs": below(`contract(chainId: "${CHAIN}", address: "${at["logContract"]}")`, `logs(${page})`),
    "Contract.deployments": below(
      `contract(chainId: "${CHAIN}", address: "${at["contract"]}")`,
      `deployments(${page})`,
    ),
    "Chain.activity": ofChain(`activity(interval: DAY, ${page})`),
    "Chain.blocks": ofChain(`blocks(${page})`),
    "Chain.transactions": ofChain(`transactions(${page})`),
    "Chain.accounts": ofChain(`accounts(${page})`),
    "Chain.contracts": ofChain(`contracts(${page})`),
    "Chain.erc20Tokens": ofChain(`erc20Tokens(${page})`),
    "Chain.nftCollections": ofChain(`nftCollections(${page})`),
    "Chain.averageTps": ofChain(`averageTps(${page})`),
    "EvmTransaction.logs": ofTransaction("logs", at["logs"]),
    "EvmTransaction.erc20Transfers": ofTransaction("erc20Transfers", at["erc20"]),
    "EvmTransaction.erc721Transfers": ofTransaction("erc721Transfers", at["erc721"]),
    "EvmTransaction.erc1155Transfers": ofTransaction("erc1155Transfers", at["erc1155"]),
    "EvmTransaction.internalTransactions": ofTransaction("internalTransactions", at["internal"]),
    "EvmTransaction.icmEvents": ofTransaction("icmEvents", at["icm"]),
    "EvmTransaction.deployments": ofTransaction("deployments", at["deployments"]),
    "Erc20Token.transfers": ofErc20(`transfers(${page})`),
    "Erc20Token.holders": ofErc20(`holders(${page})`),
    "Erc20Token.holdersAbove": ofErc20(`holdersAbove(threshold: "0", ${page})`),
    "EvmBlock.transactions": below(
      `evmBlock(chainId: "${CHAIN}", blockNumber: "${at["block"]}")`,
      `transactions(${page})`,
    ),
    "NftCollection.holders": below(
      `nftCollection(chainId: "${CHAIN}", address: "${at["collection"]}")`,
      `holders(${page})`,
    ),
    "NftCollection.tokens": ofCollection("tokens", at["items"]),
    "NftCollection.erc721Transfers": ofCollection("erc721Transfers", at["erc721Collection"]),
    "NftCollection.erc1155Transfers": ofCollection("erc1155Transfers", at["erc1155Collection"]),
    "Erc721Token.transfers": ofToken("erc721Token", "transfers", at["erc721Token"]),
    "Erc1155Token.transfers": ofToken("erc1155Token", "transfers", at["erc1155Token"]),
    "Erc1155Token.holders": ofToken("erc1155Token", "holders", at["heldToken"]),
    "Query.latestBlocks": `list: latestBlocks(${page}) ${selection}`,
    "Query.latestTransactions": `list: latestTransactions(${page}, filter: { chains: ["${CHAIN}"] }) ${selection}`,
    "Query.evmLogs": onChain("evmLogs", "", `, filter: { address: "${at["logContract"]}" }`),
    "Query.evmBlocks": onChain("evmBlocks"),
    "Query.erc20Transfers": onChain("erc20Transfers", WALLET),
    "Query.erc721Transfers": onChain("erc721Transfers", at["erc721Wallet"]),
    "Query.erc1155Transfers": onChain("erc1155Transfers", at["erc1155Wallet"]),
    "Query.icmEvents": root("icmEvents", `messageId: "${at["message"]}"`),
    "Query.icmMessages": `list: icmMessages(${page}) ${selection}`,
    "Query.internalTransactions": onChain("internalTransactions", CALLED),
    "Query.evmTransactions": onChain("evmTransactions"),
    "Query.averageTps": onChain("averageTps"),
    "Query.chainMetric": onChain("chainMetric", "", ", metric: TX_COUNT"),
    "Query.erc20HoldersAbove": onChain("erc20HoldersAbove", TOKEN, ', threshold: "0"'),
    "Query.primaryNetworkBlocks": onNetwork("primaryNetworkBlocks", ', blockchainId: "p-chain"'),
    "Query.delegators": onNetwork("delegators"),
    "Query.l1Validators": onNetwork("l1Validators", INACTIVE),
    "Query.rewards": onNetwork("rewards", `, filter: { nodeIds: ["${at["rewardNode"]}"] }`),
    "Query.subnets": onNetwork("subnets"),
    "Query.primaryNetworkTransactions": onNetwork("primaryNetworkTransactions", ', blockchainId: "c-chain"'),
    "Query.primaryNetworkUtxos": onNetwork("primaryNetworkUtxos", `, address: "${at["outputOwner"]}"`),
    "Query.validators": onNetwork("validators"),
    "Query.xChainVertices": onNetwork("xChainVertices", ', blockchainId: "x-chain"'),
    "Subnet.validators": ofSubnet("validators", at["validatorSubnet"]),
    "Subnet.validatorSet": ofSubnet("validatorSet", at["validatorSubnet"]),
    "Subnet.l1Validators": ofSubnet("l1Validators", at["l1Subnet"], INACTIVE),
    "ValidatorNode.validators": ofNode("validators", at["validatorNode"]),
    "ValidatorNode.delegators": ofNode("delegators", at["delegatorNode"]),
    "ValidatorNode.l1Validators": ofNode("l1Validators", at["l1Node"], INACTIVE),
    "ValidatorNode.rewards": ofNode("rewards", at["rewardNode"]),
    "L1Validator.transactions": below(
      `l1Validator(network: FUJI, validationId: "${at["l1Validator"]}")`,
      `transactions(${page})`,
    ),
    "PrimaryNetwork.activity": below("primaryNetworks", `activity(interval: DAY, ${page})`),
    "PrimaryChainIndexing.exceptions": `primaryNetworks { ${below('chains(chainName: "x-chain")', `exceptions(${page})`)} }`,
    "PrimaryNetworkAddress.delegators": ofOwner("delegators", at["delegatorOwner"]),
    "PrimaryNetworkAddress.rewards": ofOwner("rewards", at["rewardOwner"]),
    "PrimaryNetworkAddress.transactions": ofOwner("transactions", at["pChainOwner"], ON_P_CHAIN),
    "PrimaryNetworkAddress.unspentUtxos": ofOwner("unspentUtxos", at["outputOwner"], ON_P_CHAIN),
    "PrimaryNetworkAddress.validators": ofOwner("validators", at["validatorOwner"]),
    "PrimaryNetworkAsset.unspentUtxos": below(
      `primaryNetworkAsset(network: FUJI, assetId: "${at["asset"]}")`,
      `unspentUtxos(${page}, blockchainId: "x-chain")`,
    ),
    "PrimaryNetworkBlock.transactions": below(
      `primaryNetworkBlock(network: FUJI, blockchainId: "x-chain", blockNumber: "${at["cBlock"]}")`,
      `transactions(${page})`,
    ),
    "Validator.delegators": below(`validator(network: FUJI, txHash: "${at["validation"]}")`, `delegators(${page})`),
  };
}

export interface GraphAnswer {
  readonly data: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

/** A graph over a recording in which every list has more than one item. */
export interface OpenedLists extends AsyncDisposable {
  readonly api: Api;
  /** Values that lead to lists of more than one item. */
  readonly at: Readonly<Record<string, string>>;
  /** The selections of a page of each list. `page` are its arguments, `selection` is selected of it. */
  lists(page: string, selection: string): GraphLists;
  /** Asks for the selection of a list. `declared` declares the variables that it uses, such as `($size: Int)`. */
  ask(list: string, declared: string, variables: object): Promise<GraphAnswer>;
}

export async function openLists(): Promise<OpenedLists> {
  const api = await startApi();
  await addSecondItems(api.pool);
  const at = await parentsIn(api.pool);
  return {
    api,
    at,
    lists: (page, selection) => listsOf(at, page, selection),
    async ask(list, declared, variables) {
      const body = JSON.stringify({ query: `query ${declared} { ${list} }`, variables });
      const headers = { "content-type": "application/json", [SCHEMA_HEADER]: REST_SCHEMA };
      return (await api.get("/graphql", { method: "POST", body, headers })).body as GraphAnswer;
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}
