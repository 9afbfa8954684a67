import { getNamedType, isLeafType, isObjectType } from "graphql";
import { createLogger } from "../../core/observability/logger.ts";
import { statementsOf } from "../support/database/statements.ts";
import { DEVIATIONS, fieldAt, ids, linkNameOf, schema, WITHOUT_LINK } from "../support/graph-links.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { createLabelsSubgraph, labelOf, supergraphWithLabels } from "./labels-subgraph.ts";
import { ask, serveGateway, serveGraph } from "./served.ts";

const C_CHAIN = '"760011"';
const OWNER = '"custom1ptj7uyt5e2segurd6tpjxvhtqxp404280mtke3"';

/** Root fields of transactions of every kind, without their selections. */
let transactions: readonly string[] = [];
const evm = (fields: string) => transactions.map((field, at) => `t${at}: ${field} { ${fields} }`).join(" ");
const subnets = (fields: string) => `subnets(network: FUJI, first: 20) { nodes { ${fields} } }`;
const validators = (fields: string) => `validators(network: FUJI, first: 20) { nodes { ${fields} } }`;
const l1Validators = (fields: string) =>
  `l1Validators(network: FUJI, filter: { statuses: [ACTIVE, INACTIVE, REMOVED] }, first: 10) { ${fields} }`;
const onChains = (field: string, fields: string) =>
  ["p", "x", "c"]
    .map((chain) => `${chain}: ${field}(network: FUJI, blockchainId: "${chain}-chain", first: 100) { ${fields} }`)
    .join(" ");
const primary = (fields: string) => onChains("primaryNetworkTransactions", `nodes { ${fields} }`);
const blocks = (fields: string) => onChains("primaryNetworkBlocks", `nodes { ${fields} }`);

/** How objects of a type are found in the recording. */
const SOURCES: Readonly<Record<string, (fields: string) => string>> = {
  AssetAmount: (fields) => primary(`value { ${fields} }`),
  AssetBalance: (fields) =>
    `primaryNetworkBalances(network: FUJI, blockchainId: "p-chain", addresses: [${OWNER}]) {
      balances { ... on PChainBalances { unlockedUnstaked { ${fields} } } }
    }`,
  BalanceOwner: (fields) => l1Validators(`nodes { remainingBalanceOwner { ${fields} } }`),
  BlockReference: (fields) => evm(`from { evmAddress { firstSeen { ${fields} } lastSeen { ${fields} } } }`),
  Blockchain: (fields) => subnets(`blockchains { ${fields} }`),
  Chain: (fields) => `chains { chains { ${fields} } }`,
  Contract: (fields) => evm(`deployments { nodes { contract { ${fields} } } }`),
  Delegator: (fields) => `delegators(network: FUJI, first: 20) { nodes { ${fields} } }`,
  Deployment: (fields) => evm(`deployments { nodes { ${fields} } }`),
  Erc20Holder: (fields) =>
    evm(`erc20Transfers(first: 2) { nodes { erc20Token { holders(first: 2) { nodes { ${fields} } } } } }`),
  Erc20Token: (fields) => evm(`erc20Transfers { nodes { erc20Token { ${fields} } } }`),
  Erc20Transfer: (fields) => evm(`erc20Transfers { nodes { ${fields} } }`),
  Erc721Token: (fields) => evm(`erc721Transfers { nodes { erc721Token { ${fields} } } }`),
  Erc721Transfer: (fields) => evm(`erc721Transfers { nodes { ${fields} } }`),
  Erc1155Token: (fields) => evm(`erc1155Transfers { nodes { erc1155Token { ${fields} } } }`),
  Erc1155Transfer: (fields) => evm(`erc1155Transfers { nodes { ${fields} } }`),
  EvmAddress: (fields) => evm(`from { evmAddress { ${fields} } }`),
  EvmBlock: (fields) => `evmBlocks(chainId: ${C_CHAIN}, first: 20) { nodes { ${fields} } }`,
  EvmInput: (fields) => primary(`evmInputs { ${fields} }`),
  EvmInternalTransaction: (fields) => evm(`internalTransactions { nodes { ${fields} } }`),
  EvmLog: (fields) => evm(`logs { nodes { ${fields} } }`),
  EvmOutput: (fields) => primary(`evmOutputs { ${fields} }`),
  EvmTransaction: (fields) => evm(fields),
  HistoricalReward: (fields) => validators(`historicalRewards { ${fields} }`),
  IcmEvent: (fields) => `sent: icmMessages(first: 3, filter: { states: SENT }) { nodes { sentEvent { ${fields} } } }
    received: icmMessages(first: 3, filter: { states: EXECUTED }) { nodes { receivedEvent { ${fields} } } }`,
  L1Validator: (fields) => l1Validators(`nodes { ${fields} }`),
  L1ValidatorDetailsTransaction: (fields) => primary(`l1ValidatorDetails { ${fields} }`),
  L1ValidatorManagerDetails: (fields) => subnets(`l1ValidatorManagerDetails { ${fields} }`),
  L1ValidatorPage: (fields) => l1Validators(fields),
  NftCollection: (fields) => evm(`erc721Transfers { nodes { erc721Token { collection { ${fields} } } } }`),
  NftHolder: (fields) =>
    evm(
      `erc721Transfers(first: 2) { nodes { erc721Token { collection { holders(first: 2) { nodes { ${fields} } } } } } }`,
    ),
  OutputOwners: (fields) => validators(`validationRewardOwner { ${fields} }`),
  PrimaryChainIndexing: (fields) => `primaryNetworks { chains { ${fields} } }`,
  PrimaryNetwork: (fields) => `primaryNetworks { ${fields} }`,
  PrimaryNetworkBlock: (fields) => blocks(fields),
  PrimaryNetworkChainInfo: (fields) => primary(`chainInfo { ${fields} }`),
  PrimaryNetworkTransaction: (fields) => primary(fields),
  PrimaryNetworkUtxo: (fields) => primary(`consumedUtxos { ${fields} } emittedUtxos { ${fields} }`),
  ProposerDetails: (fields) => blocks(`proposerDetails { ${fields} }`),
  RewardAmount: (fields) => validators(`historicalRewards { reward { ${fields} } }`),
  RichAddress: (fields) => evm(`from { ${fields} } to { ${fields} }`),
  SharedAssetBalance: (fields) =>
    `primaryNetworkBalances(network: FUJI, blockchainId: "p-chain", addresses: [${OWNER}]) {
      importable { unlocked { ${fields} } }
    }`,
  Subnet: (fields) => subnets(fields),
  SubnetOwnershipInfo: (fields) => subnets(`subnetOwnershipInfo { ${fields} }`),
  SubnetStaking: (fields) => subnets(`staking { ${fields} }`),
  Validator: (fields) => validators(fields),
  ValidatorRewards: (fields) => validators(`rewards { ${fields} }`),
};

type Entity = Readonly<Record<string, unknown>>;

/** The root field that returns an entity with the same key. */
const ROOTS: Readonly<Record<string, (entity: Entity) => string>> = {
  Blockchain: ({ network, blockchainId }) => `blockchain(network: ${network}, blockchainId: "${blockchainId}")`,
  Chain: ({ chainId }) => `chain(chainId: "${chainId}")`,
  Contract: ({ chainId, address }) => `contract(chainId: "${chainId}", address: "${address}")`,
  EvmAddress: ({ chainId, address }) => `address(chainId: "${chainId}", address: "${address}")`,
  EvmBlock: ({ chainId, blockNumber }) => `evmBlock(chainId: "${chainId}", blockNumber: "${blockNumber}")`,
  EvmTransaction: ({ chainId, txHash }) => `evmTransaction(chainId: "${chainId}", txHash: "${txHash}")`,
  L1Validator: ({ network, validationId }) => `l1Validator(network: ${network}, validationId: "${validationId}")`,
  NftCollection: ({ chainId, address }) => `nftCollection(chainId: "${chainId}", address: "${address}")`,
  PrimaryNetworkAddress: ({ network, address }) => `primaryNetworkAddress(network: ${network}, address: "${address}")`,
  PrimaryNetworkAsset: ({ network, assetId }) => `primaryNetworkAsset(network: ${network}, assetId: "${assetId}")`,
  PrimaryNetworkBlock: ({ network, chainName, blockNumber }) =>
    `primaryNetworkBlock(network: ${network}, blockchainId: "${chainName}", blockNumber: "${blockNumber}")`,
  PrimaryNetworkTransaction: ({ network, txHash }) =>
    `primaryNetworkTransaction(network: ${network}, txHash: "${txHash}")`,
  PrimaryNetworkUtxo: ({ network, utxoId }) => `primaryNetworkUtxo(network: ${network}, utxoId: "${utxoId}")`,
  Subnet: ({ network, subnetId }) => `subnet(network: ${network}, subnetId: "${subnetId}")`,
  ValidatorNode: ({ network, nodeId }) => `validatorNode(network: ${network}, nodeId: "${nodeId}")`,
};

/** Links of objects that the recording does not have, or that are null in all of them. */
const UNRECORDED: ReadonlySet<string> = new Set([
  "IcmEvent.blockchain",
  "L1ValidatorManagerDetails.contract",
  "SubnetStaking.stakingAsset",
  "SubnetStaking.transformTransaction",
]);

/** Fields that a node answers. */
const OF_NODES: ReadonlySet<string> = new Set(["isContract", "uptimePerformance"]);

/** All fields of a type that have no arguments and no selection. */
function leavesOf(typeName: string): string {
  const type = schema.getType(typeName);
  const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
  return fields
    .filter(
      ({ name, args, type: inner }) => args.length === 0 && isLeafType(getNamedType(inner)) && !OF_NODES.has(name),
    )
    .map(({ name }) => name)
    .join(" ");
}

/** The links from objects that are found, with the type that each leads to. A link to a list of entities is left out if it is a page. */
const LINKS = [
  ...new Map(
    ids.flatMap(({ type, field, key }) => {
      const path = DEVIATIONS[key] ?? linkNameOf(field.name);
      const link = fieldAt(type, path);
      const target = link && getNamedType(link.type).name;
      if (key in WITHOUT_LINK || !target || !(type.name in SOURCES) || !(target in ROOTS)) return [];
      return [[`${type.name}.${path}`, { from: type.name, path, target }] as const];
    }),
  ),
];

let database: Awaited<ReturnType<typeof indexedAlphaNetwork>>;
let served: Awaited<ReturnType<typeof serveGraph>>;

/** Some transactions of each kind. */
const OF_EVERY_KIND = [
  "erc20_transfers",
  "erc721_transfers",
  "erc1155_transfers",
  "evm_internal_transactions",
  "evm_deployments",
  "icm_events WHERE direction IS NOT NULL",
]
  .map((table) => `(SELECT chain_id, '0x' || encode(tx_hash, 'hex') AS tx_hash FROM ${table} LIMIT 3)`)
  .join(" UNION ");

beforeAll(async () => {
  database = await indexedAlphaNetwork();
  const { rows } = await database.pool.query<{ chain_id: string; tx_hash: string }>(OF_EVERY_KIND);
  transactions = rows.map(({ chain_id, tx_hash }) => `evmTransaction(chainId: "${chain_id}", txHash: "${tx_hash}")`);
  served = await serveGraph({ database, config: database.config });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** The objects that a link leads to, each once. */
async function linked(from: string, path: string, fields: string, url = served.url): Promise<Entity[]> {
  const names = path.split(".");
  const selection = names.reduceRight((inner, name) => `${name} { ${inner} }`, `__typename ${fields}`);
  const { data, errors } = await ask(url, `{ ${SOURCES[from]?.(selection)} }`);
  expect(errors).toBeUndefined();
  const found = new Map<string, Entity>();
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) walk(item);
    else if (typeof value === "object" && value !== null) {
      if ("__typename" in value) found.set(JSON.stringify(value), value as Entity);
      else for (const inner of Object.values(value)) walk(inner);
    }
  };
  walk(data);
  return [...found.values()];
}

describe("a link leads to the entity that the root field returns", () => {
  it.each(LINKS)("%s", async (name, { from, path, target }) => {
    const fields = leavesOf(target);
    const entities = (await linked(from, path, fields)).slice(0, 3);
    expect(entities.length > 0).toBe(!UNRECORDED.has(name));
    for (const entity of entities) {
      const { data, errors } = await ask(served.url, `{ found: ${ROOTS[target]?.(entity)} { __typename ${fields} } }`);
      expect(errors).toBeUndefined();
      expect(data).toEqual({ found: entity });
    }
  });
});

/** Entities of which a link gives the key alone, and the fields of their keys. */
const KEYS: Readonly<Record<string, string>> = {
  Contract: "chainId address",
  EvmAddress: "chainId address",
  PrimaryNetworkAddress: "network address",
  ValidatorNode: "nodeId",
};

/** Links that read whether the entity exists. */
const READING: ReadonlySet<string> = new Set(["EvmTransaction.contract"]);

describe("a link of which only the key is selected sends no statement", () => {
  const links = LINKS.filter(([name, { target }]) => target in KEYS && !READING.has(name) && !UNRECORDED.has(name));
  it.each(links)("%s", async (_, { from, path, target }) => {
    const without = `{ ${SOURCES[from]?.("__typename")} }`;
    const withLink = `{ ${SOURCES[from]?.(`__typename ${path} { id ${KEYS[target]} }`)} }`;
    const statements = await statementsOf(() => ask(served.url, without));
    expect(await statementsOf(() => ask(served.url, withLink))).toHaveLength(statements.length);
  });
});

/** The keys of the entities to which the subgraph of another team adds a label. */
const LABELLED: Readonly<Record<string, string>> = {
  EvmAddress: "chainId address",
  PrimaryNetworkAddress: "network address",
  ValidatorNode: "nodeId",
};

describe("a field that a subgraph of another team adds to an entity is at every link to it", () => {
  const links = LINKS.filter(([name, { target }]) => target in LABELLED && !UNRECORDED.has(name));
  let labelled: Awaited<ReturnType<typeof serveGateway>>;
  beforeAll(async () => {
    const subgraphs = [...served.subgraphs, createLabelsSubgraph()];
    labelled = await serveGateway(subgraphs, createLogger("fatal"), supergraphWithLabels(), database.config);
  });
  afterAll(() => labelled[Symbol.asyncDispose]());

  it.each(links)("%s", async (_, { from, path, target }) => {
    const entities = await linked(from, path, `${LABELLED[target]} label`, labelled.url);
    expect(entities.length).toBeGreaterThan(0);
    for (const { __typename: _typename, label, ...key } of entities) expect(label).toBe(labelOf(key));
  });
});
