import { z } from "zod";
import { admissionSettings } from "./settings/admission.ts";
import { apiSettings } from "./settings/api.ts";
import { databaseUrl } from "./settings/database-url.ts";
import { evmChain } from "./settings/evm-chain.ts";
import { exportSettings } from "./settings/exports.ts";
import { areDistinct, filePath, port, positive, SECRET, url } from "./settings/fields.ts";
import { graphSettings } from "./settings/graph.ts";
import { graphqlSettings } from "./settings/graphql.ts";
import { indexing, nftMetadata, prices } from "./settings/indexing.ts";
import { SCOPE, SCOPE_RULE } from "./settings/key-scope.ts";
import { NETWORKS } from "./settings/network.ts";
import { nodeInterface } from "./settings/node-interface.ts";
import { observability } from "./settings/observability.ts";
import { networkIdOf, primaryNetwork } from "./settings/primary-network.ts";
import { shutdownSettings } from "./settings/shutdown.ts";
import { signatureSettings } from "./settings/signatures.ts";
import { subscriptionSettings } from "./settings/subscriptions.ts";
import { SUBGRAPH_SETTINGS } from "./subgraphs.ts";

const scope = z.string().regex(SCOPE, SCOPE_RULE);

const apiKey = z.strictObject({
  key: z.string().min(8, "must have at least 8 characters").meta(SECRET).describe("The key; at least 8 characters."),
  computeUnitsPerMinute: positive
    .optional()
    .describe("Rate limit in compute units per minute. If not set, there is no limit."),
  computeUnitsPerDay: positive
    .optional()
    .describe("Rate limit in compute units per day (UTC). If not set, there is no limit."),
  networks: z
    .array(z.enum(NETWORKS))
    .optional()
    .describe("Networks that the key gives access to. If not set: all of them."),
  scopes: z.array(scope).default([]).describe("Scopes of the key, which `keyRequirements` may require."),
});

const keyRequirement = z.strictObject({
  routes: z
    .array(z.string())
    .default([])
    .describe(
      "REST routes by their number, such as `E3`, and JSON-RPC methods by their name, such as `info.peers`. The same data stays readable without a key through `/graphql`: to protect data, name its `fields`.",
    ),
  fields: z
    .array(z.string().regex(/^\w+\.\w+$/, "must be a type and a field such as Mutation.startTransactionExport"))
    .default([])
    .describe(
      "Fields of the graph, such as `Mutation.startTransactionExport`. REST routes and JSON-RPC methods that read such a field have the same requirement.",
    ),
  scope: scope.optional().describe("Scope that the key must have, else 403. If not set, every key is sufficient."),
});

const DEFAULT_POOL_SIZE = 20;

/**
 * Every setting with its rule, default and meaning. This is the only definition: docs/configuration.md is generated from
 * it.
 */
const allSettings = z.strictObject({
  host: z.string().default("127.0.0.1").describe("Address to listen on."),
  port: port.default(4000).describe("Port of GraphQL, REST and health. 0: a free port."),
  metricsPort: port
    .optional()
    .describe(
      "Separate port for the REST metrics paths. If not set, they are served on `port`. 0: a free port. Must differ from `port`. The metrics for Prometheus have the port `observability.port`.",
    ),
  dataDirectory: z
    .string()
    .min(1)
    .default(".moraine")
    .describe(
      "Directory of the embedded database, of the demo's state, and of exported files if `exports.directory` is not set.",
    ),
  databaseUrl: databaseUrl
    .optional()
    .describe(
      "Connection URL of PostgreSQL 15 or newer, such as `postgresql://user:password@host:5432/moraine`. The user must own the database, and its encoding must be UTF8. In user and password, percent-encode all characters other than letters and digits, such as `%40` for `@`. `?schema=` names the schema of the tables. If it is not set, it is the first schema of the user's `search_path`. The schema must be empty or have the tables of Moraine. `?host=/var/run/postgresql` names the directory of a Unix socket. `?sslmode=disable` connects without TLS. `verify-full` (also `require`, `verify-ca` and `prefer`) connects with TLS and checks the certificate by the authorities of Node.js, or by those of the file `sslrootcert`. `no-verify` connects with TLS and does not check the certificate. `sslcert` and `sslkey` name the files of a client certificate. With `uselibpqcompat=true`, the modes mean what they mean in libpq. A connection pooler must keep sessions (`pool_mode = session` of PgBouncer). Other parameters have no effect. If not set, Moraine starts an embedded server.",
    ),
  api: apiSettings.prefault({}).describe("The processes that answer requests."),
  databaseReadUrls: z
    .array(databaseUrl)
    .default([])
    .describe(
      "Connection URLs of replicas of the server of `databaseUrl` (hot standbys by streaming replication), from which the API reads rows (docs/behaviour/read-replicas.md). Each names the same database.",
    ),
  databasePoolSize: z
    .number()
    .int()
    .min(1)
    .max(500)
    .default(DEFAULT_POOL_SIZE)
    .describe(
      "Maximum number of connections that the API opens in one process to each database, and to each server of `databaseReadUrls`. Must be greater than `admission.heavyOperations`.",
    ),
  demo: z
    .enum(["auto", "live", "full", "off"])
    .default("auto")
    .describe(
      "The bundled recording. `live`: blocks arrive at the recorded pace for some minutes after the first start (delete `dataDirectory` to repeat this). `full`: all blocks are available at the start. `auto`: `live` if no chain and no primary network is configured, else `off`.",
    ),
  logLevel: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info")
    .describe("Lowest level of the log lines that are written."),
  dialect: z
    .enum(["contract", "hosted"])
    .default("contract")
    .describe(
      "Response format of the REST paths without `hostedPrefix`. `contract`: that of the REST specification (spec/openapi.json). `hosted`: that of the hosted data service of Ava Labs (docs/behaviour/dialects.md).",
    ),
  hostedPrefix: z
    .string()
    .regex(/^(\/[\w-]+)*$/, "must be empty or a path such as /hosted")
    .default("/hosted")
    .describe(
      "Path prefix of the REST paths in the hosted dialect (docs/behaviour/dialects.md). Empty: these paths are not served.",
    ),
  keyHeaders: z
    .array(z.string().toLowerCase())
    .min(1)
    .default(["x-service-api-key", "x-glacier-api-key"])
    .describe(
      "Headers that may contain an API key. If a request has several of them, the first in this list is used. A client over graphql-ws can send the key in the payload of `connection_init`, as a member with the name of one of these headers.",
    ),
  apiKeys: z
    .array(apiKey)
    .default([])
    .describe(
      "Accepted API keys, in addition to those of `moraine keys`. A request with another key gets 401. If the parts run in separate processes, REST, the gateway and the operations subgraph need the same keys, or the same `databaseUrl` with keys of `moraine keys`.",
    ),
  keyRequirements: z
    .array(keyRequirement)
    .default([])
    .describe("Routes and fields that need an API key. Without one, a request gets 401."),
  computeUnitsPerMinute: z
    .number()
    .int()
    .min(0)
    .default(0)
    .describe(
      "Rate limit of callers without an API key, by address, in compute units per minute, on the REST data paths, JSON-RPC and GraphQL. 0: no limit.",
    ),
  computeUnitsPerDay: z.number().int().min(0).default(0).describe("The same per day (UTC). 0: no limit."),
  metricsComputeUnitsPerMinute: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe(
      "Rate limit of the REST metrics paths, by address, in compute units per minute. Requests to data paths do not count towards it. 0: no limit. If not set: the value of `computeUnitsPerMinute`.",
    ),
  metricsComputeUnitsPerDay: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("The same per day (UTC). 0: no limit. If not set: the value of `computeUnitsPerDay`."),
  trustProxy: z
    .union([z.boolean(), z.enum(["x-forwarded-for", "forwarded"])], {
      error: 'must be true, false, "x-forwarded-for" or "forwarded"',
    })
    .default(false)
    .describe(
      "The header from which the caller's address is read, if a trusted proxy writes it. `true` means `x-forwarded-for`. Name only a header that the proxy writes itself: if the proxy does not write it, callers can send it with any address. The host of the request, with which the origin of a WebSocket is compared, is then read from `X-Forwarded-Host`, or from `Forwarded`.",
    ),
  proxyHops: positive
    .default(1)
    .describe(
      "Number of trusted proxies in front of Moraine. With n proxies, the caller's address is the n-th entry from the end of the header that `trustProxy` names.",
    ),
  connectionsPerAddress: z
    .number()
    .int()
    .min(0)
    .default(2_000)
    .describe(
      "Maximum number of open connections from one address to one port; IPv6 addresses with the same first 64 bits count as one. Further connections get 503. Ports of subgraphs and of the signature service have no limit, because only other processes of Moraine reach them. 0: no limit. Set 0 behind a proxy: all connections come from its address.",
    ),
  unreadBytes: positive
    .default(33_554_432)
    .describe(
      "Maximum number of bytes that a process holds, for each of its ports, for clients that have not read them. If there are more, the connections whose bytes have been unread for the longest time are closed.",
    ),
  admission: admissionSettings
    .prefault({})
    .describe("How many operations of REST and GraphQL run and wait at the same time in one process."),
  graph: graphSettings
    .prefault({})
    .describe("The supergraph that `/graphql` answers, and subgraphs of other teams (docs/behaviour/supergraphs.md)."),
  graphql: graphqlSettings.prefault({}).describe("What callers of `/graphql` may send."),
  subscriptions: subscriptionSettings
    .prefault({})
    .describe("Limits of operations over WebSocket and of subscriptions as event streams, at `/graphql`."),
  shutdown: shutdownSettings.prefault({}).describe("How a process ends after a signal, such as SIGTERM."),
  bodyLimitBytes: positive.default(1_048_576).describe("Maximum size of a request body in bytes."),
  ...SUBGRAPH_SETTINGS,
  gatewayUrl: url.optional().describe("GraphQL URL of the gateway, if it runs in another process."),
  methodSignatures: filePath
    .optional()
    .describe(
      "File of function signatures, one per line, such as `transfer(address,uint256)`. They take precedence over the bundled ones.",
    ),
  prices: prices.prefault({}).describe("Source of token prices. `moraine prices` also imports prices from files."),
  nftMetadata: nftMetadata
    .prefault({})
    .describe(
      "Fetching of NFT metadata, for chains with the feature `nftIndexing`: only over `https:` on port 443, and never from private, loopback or link-local addresses. These limits do not apply to `ipfsGateway`.",
    ),
  indexing: indexing.prefault({}).describe("How the indexer reads nodes and writes the database."),
  exports: exportSettings.prefault({}).describe("Exports of transactions, which run as background jobs."),
  signatures: signatureSettings.prefault({}).describe("Aggregation of validators' signatures for Warp messages."),
  observability: observability.prefault({}).describe("Metrics and traces for the operator."),
  nodeInterface: nodeInterface
    .prefault({})
    .describe("The node interface: the Info and Health APIs, on `/ext` and in the graph."),
  evmChains: z
    .array(evmChain)
    .default([])
    .refine((chains) => areDistinct(chains, ({ chainId }) => chainId), "must not contain a chainId twice")
    .describe("The EVM chains to index and serve."),
  primaryNetworks: z
    .array(primaryNetwork)
    .default([])
    .refine((networks) => areDistinct(networks, ({ network }) => network), "must not contain a network twice")
    .refine((networks) => areDistinct(networks, networkIdOf), "must not contain a networkId twice")
    .describe(
      "The primary networks (P-, X- and C-Chain) to index and serve. Atomic transactions of the C-Chain are indexed only if `evmChains` has an entry of the C-Chain.",
    ),
});

/** The settings, with the rules that hold between them. */
export const configSchema = allSettings.superRefine((settings, context) => {
  const refuse = (path: string[], message: string) => context.addIssue({ code: "custom", path, message });
  const { admission, databasePoolSize, host, port, metricsPort, observability } = settings;
  const { heavyOperations } = admission;
  // The defaults obey the rule, so the setting that is named here is given.
  if (heavyOperations >= databasePoolSize) {
    if (databasePoolSize === DEFAULT_POOL_SIZE)
      refuse(["admission", "heavyOperations"], `must be less than databasePoolSize, which is ${databasePoolSize}`);
    else refuse(["databasePoolSize"], `must be greater than admission.heavyOperations, which is ${heavyOperations}`);
  }
  if (settings.databaseReadUrls.length > 0 && settings.databaseUrl === undefined)
    refuse(["databaseReadUrls"], "must be empty without databaseUrl: the embedded server has no replicas");
  // Port 0 is another free port each time.
  if (metricsPort && metricsPort === port) refuse(["metricsPort"], "must differ from port");
  if (observability.port && observability.host === host && [port, metricsPort].includes(observability.port))
    refuse(["observability", "port"], "must differ from port and metricsPort");
});

export type Config = z.infer<typeof configSchema>;
export type EvmChainConfig = Config["evmChains"][number];
export type PrimaryNetworkConfig = Config["primaryNetworks"][number];
