/** Root fields by what they are about. */
const QUERIES = {
  "Find anything": ["search"],
  "EVM chains of this installation": ["chains", "chain"],
  "Blocks and transactions of an EVM chain": [
    "latestBlocks",
    "evmBlocks",
    "evmBlock",
    "latestTransactions",
    "evmTransactions",
    "evmTransaction",
    "internalTransactions",
    "evmLogs",
    "icmMessages",
    "icmMessage",
    "icmEvents",
  ],
  "Addresses and contracts": ["wallet", "evmAccount", "address", "contract", "deployment", "nativeTokenBalance"],
  "Tokens and NFTs": [
    "erc20Token",
    "erc20Transfers",
    "nftCollection",
    "erc721Token",
    "erc721Transfers",
    "erc1155Token",
    "erc1155Transfers",
  ],
  "P-Chain, X-Chain and C-Chain": [
    "primaryNetworks",
    "primaryNetworkBlocks",
    "primaryNetworkBlock",
    "primaryNetworkTransactions",
    "primaryNetworkTransaction",
    "primaryNetworkUtxos",
    "primaryNetworkUtxo",
    "primaryNetworkAddress",
    "primaryNetworkAsset",
    "primaryNetworkBalances",
    "xChainVertices",
    "xChainVertex",
  ],
  "Staking, subnets and L1s": [
    "validators",
    "validator",
    "validatorNode",
    "delegators",
    "delegator",
    "rewards",
    "subnets",
    "subnet",
    "blockchain",
    "l1Validators",
    "l1Validator",
  ],
  "Signatures of interchain messages": ["aggregateSignatures", "aggregateTransactionSignatures"],
  "Exports of transactions": ["operations", "operation"],
  "The node and this installation": ["node", "health", "readiness", "liveness"],
} as const;

const MUTATIONS = {
  "Exports of transactions": ["startTransactionExport", "cancelOperation"],
  "Metadata that is read again": ["reindexContract", "reindexNft"],
} as const;

const SUBSCRIPTIONS = {
  "New blocks": ["blockAdded", "primaryNetworkBlockAdded"],
  "Exports of transactions": ["operationUpdated", "operationsUpdated"],
  "Signatures of interchain messages": ["signatureProgress"],
  "This installation": ["healthChanged"],
} as const;

/** The descriptions of the root types, which are the pages at which readers of the schema begin. */
export const ROOT_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Query: page(
    "Read indexed data of Avalanche networks. A list has pages, forward and backward: pass `pageInfo.endCursor` of one page as `after` of the next. A field that fails is null, with its error in `errors`.",
    QUERIES,
  ),
  Mutation: page("Start and cancel exports, and read metadata again.", MUTATIONS),
  Subscription: page("Follow what changes, over WebSocket, server-sent events or multipart answers.", SUBSCRIPTIONS),
};

function page(start: string, groups: Readonly<Record<string, readonly string[]>>): string {
  const lines = Object.entries(groups).map(
    ([about, fields]) => `- ${about}: ${fields.map((name) => `\`${name}\``).join(", ")}`,
  );
  return [start, "", ...lines].join("\n");
}
