import { z } from "zod";
import { databaseUrl } from "./database-url.ts";
import { evmAddress, headers, id, positive, url } from "./fields.ts";
import { networkName } from "./network.ts";
import { checkNodes, nodeList } from "./nodes.ts";

/** Features that callers can filter the chain list by. */
const FEATURES = ["nftIndexing", "webhooks", "teleporter"] as const;

/** Address of the Teleporter messenger of release 1.0.0, the same on every chain. */
const TELEPORTER_MESSENGER = "0x253b2784c75e510dd0ff1da844684a1ac0aa5fcf";

const networkToken = z.strictObject({
  name: z.string().default("Avalanche").describe("Name of the token."),
  symbol: z.string().default("AVAX").describe("Symbol of the token."),
  decimals: z.number().int().min(0).max(255).default(18).describe("Number of decimals of the token."),
  logoUri: z.string().optional().describe("URI of the token's logo."),
  description: z.string().optional().describe("Description of the token."),
  priceId: z
    .string()
    .min(1)
    .optional()
    .describe("Id of the token at the price source, such as `avalanche-2`. If not set, the token has no price."),
});

const evmNodeUrl = url.refine(
  (text) => !/\/ext\/bc\/[PX]\/?$/.test(text),
  "must be the JSON-RPC URL of an EVM chain, such as http://127.0.0.1:9650/ext/bc/C/rpc",
);

/** An entry of `evmChains`. */
const evmChainEntry = z.strictObject({
  chainId: positive.describe(
    "EVM chain id, as `eth_chainId` returns it. The start fails if the node returns another value.",
  ),
  network: networkName.describe(
    "Network that the chain belongs to. Chains of a network of your own are served under one of the two names. If the index of a P-Chain has the blockchain in the other network, the indexer of the chain stops (docs/behaviour/chain-ids.md).",
  ),
  nodeUrl: evmNodeUrl
    .optional()
    .describe(
      "JSON-RPC URL of the node to index, such as `http://127.0.0.1:9650/ext/bc/C/rpc`. Never returned to callers. For several nodes, set `nodeUrls` instead.",
    ),
  nodeHeaders: headers
    .default({})
    .describe("HTTP headers sent with each request to `nodeUrl`, for example an API key."),
  nodeUrls: nodeList(evmNodeUrl, "the JSON-RPC URL of an EVM chain").describe(
    'Several nodes to index the chain from, in place of `nodeUrl`: a list of URLs, or of objects such as `{"url": "https://…", "headers": {"x-api-key": "…"}, "name": "archive"}`. Each node gets only its own `headers`. Callers of the API see `name`, by default `node 1`, `node 2` and so on, never the URL (docs/behaviour/several-nodes.md).',
  ),
  databaseUrl: databaseUrl
    .optional()
    .describe(
      "Connection URL of a PostgreSQL database for the chain alone or together with others, in the form of the setting `databaseUrl`. If not set, the chain is in the database of that setting. The C-Chain of a network in `primaryNetworks` must be in the database of this network. Never returned to callers (docs/behaviour/cells.md).",
    ),
  chainName: z.string().min(1).describe("Name of the chain."),
  description: z.string().default("").describe("Description of the chain."),
  blockchainId: id
    .optional()
    .describe(
      "Blockchain id (CB58 or hex). Callers may use it in place of the EVM chain id. The start fails if the node returns another value. If not set, it comes from `nodeUrl` or from the index of the P-Chain, if they have it (docs/behaviour/chain-ids.md). Set it if `nodeUrl` is that of a proxy.",
    ),
  subnetId: id
    .optional()
    .describe(
      "Subnet id (CB58 or hex). If not set, it comes from the index of the P-Chain, if that has the blockchain. If the index contradicts it, the indexer of the chain stops (docs/behaviour/chain-ids.md).",
    ),
  vmId: id
    .optional()
    .describe(
      "VM id (CB58 or hex). If not set, it comes from the index of the P-Chain, if that has the blockchain. If the index contradicts it, the indexer of the chain stops (docs/behaviour/chain-ids.md).",
    ),
  explorerUrl: z.string().optional().describe("URL of a block explorer."),
  rpcUrl: z.string().default("").describe("Public JSON-RPC URL, returned to callers."),
  wsUrl: z.string().optional().describe("Public WebSocket URL, returned to callers."),
  networkToken: networkToken.prefault({}).describe("The chain's native token."),
  chainLogoUri: z.string().optional().describe("URI of the chain's logo."),
  private: z
    .boolean()
    .default(false)
    .describe("Value of the field `private` in responses. It does not restrict access."),
  enabledFeatures: z
    .array(z.enum(FEATURES))
    .default([])
    .describe(
      "Features by which callers can filter the chain list (`feature=`). `nftIndexing` also makes the indexer fetch the metadata of the chain's NFTs, with requests to the hosts that token URIs name.",
    ),
  multicall: evmAddress
    .optional()
    .describe("Address of a multicall contract, returned as `utilityAddresses.multicall`."),
  tokenLogos: z.record(evmAddress, z.string()).default({}).describe("Logo URI by ERC-20 contract address."),
  tokenPriceIds: z
    .record(evmAddress, z.string().min(1))
    .default({})
    .describe("Id at the price source by ERC-20 contract address. A token that is not listed has no price."),
  traces: z
    .enum(["auto", "on", "off"])
    .default("auto")
    .describe(
      "Whether to index internal transactions and contracts created by contracts, from `debug_traceBlockByNumber`. `on`: indexing waits while the node refuses the traces of a block. `auto`: blocks that the node cannot trace are indexed without traces. Traces that contradict their block are recorded as missing with both. `off`: no traces are requested. Only an archive node can trace old blocks.",
    ),
  teleporterMessengers: z
    .array(evmAddress)
    .default([TELEPORTER_MESSENGER])
    .describe(
      "Contracts whose events are indexed as Teleporter messages; the same events of other contracts are ignored. After a change, the indexer rebuilds the chain's rows from the raw blocks at its next start.",
    ),
  wrappedNativeTokens: z
    .array(evmAddress)
    .optional()
    .describe(
      "Contracts that wrap the native token and emit `Deposit` and `Withdrawal` instead of `Transfer`; balances include these events. If not set: WAVAX on the C-Chains of mainnet and Fuji, none on other chains. After a change, the indexer rebuilds the chain's rows from the raw blocks at its next start.",
    ),
});

/** An entry of `evmChains`. */
export const evmChain = evmChainEntry.check(checkNodes);
