/** A metric as Prometheus sees it. Every metric of Moraine is defined here; docs/metrics.md is generated from this file. */
interface MetricDefinition {
  readonly type: "counter" | "gauge" | "histogram";
  /** In base units, with the suffix `_total` for counters. */
  readonly name: string;
  readonly help: string;
  /** Names of the labels, with their values. Callers can never add a value. */
  readonly labels: Readonly<Record<string, string>>;
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
}

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const QUEUES =
  "classes of cost of operations: `light` and `heavy`, and `remote` and `heavyRemote` for those that wait for nodes or validators; starts and events of subscriptions: `event`, `remoteEvent` and `heavyRemoteEvent`; `document`: new documents of GraphQL; `exports`: the export jobs of all processes";
const SHORT_SECONDS = [0.001, 0.01, 0.1, 1, 10];

export const METRICS = {
  buildInfo: {
    type: "gauge",
    name: "moraine_build_info",
    help: "Always 1. The labels are the versions of Moraine and of Node.js.",
    labels: { version: "version of Moraine", node: "version of Node.js" },
  },
  healthCheck: {
    type: "gauge",
    name: "moraine_health_check",
    help: "1 if the health check has passed in its last run, 0 if it has failed. In the process of the node subgraph.",
    labels: { check: "name of the check, such as `database`, or `node/…` for the checks of the upstream node" },
  },
  diskFree: {
    type: "gauge",
    name: "moraine_disk_free_bytes",
    help: "Free bytes of the disk of the embedded database, or of `dataDirectory` with an external database, in the last run of the health checks. In the process of the node subgraph.",
    labels: {},
  },
  databaseSize: {
    type: "gauge",
    name: "moraine_database_size_bytes",
    help: "Size of the database on its server and, with Citus, on all workers. In the process of the node subgraph.",
    labels: {},
  },
  processRestarts: {
    type: "counter",
    name: "moraine_process_restarts_total",
    help: "How often a process that Moraine keeps running, also the embedded PostgreSQL server, has ended and was started again.",
    labels: { name: "name of the process, such as `the indexer` or `the embedded PostgreSQL`" },
  },
  httpRequestDuration: {
    type: "histogram",
    name: "moraine_http_request_duration_seconds",
    help: "Time from the arrival of a request's headers to the end of its response. Streams of events are not included.",
    labels: {
      method: "`GET`, `POST`, `HEAD`, `OPTIONS`, or `other`",
      route: "path template such as `/v1/chains/{chainId}`, or `other` for unknown paths",
      status: "HTTP status; `aborted` if the caller left before the response",
    },
    buckets: REQUEST_SECONDS,
  },
  httpRequestsInProgress: {
    type: "gauge",
    name: "moraine_http_requests_in_progress",
    help: "Requests whose response has not ended, including streams of events.",
    labels: {},
  },
  httpConnections: {
    type: "gauge",
    name: "moraine_http_connections",
    help: "Open connections of all servers of the process, including WebSockets.",
    labels: {},
  },
  requestsRejected: {
    type: "counter",
    name: "moraine_requests_rejected_total",
    help: "Requests, GraphQL operations and connections that were refused. The label `reason` says why.",
    labels: { reason: "one of the reasons listed below" },
  },
  // Stands before the queues, because reading the queues uses a connection of a pool.
  poolConnections: {
    type: "gauge",
    name: "moraine_database_pool_connections",
    help: "Open connections of a database connection pool.",
    labels: { pool: "name of the pool", state: "`busy` or `idle`" },
  },
  poolSize: {
    type: "gauge",
    name: "moraine_database_pool_max_connections",
    help: "Maximum number of connections of a pool.",
    labels: { pool: "name of the pool" },
  },
  poolWaiting: {
    type: "gauge",
    name: "moraine_database_pool_waiting",
    help: "Statements that wait for a connection of a pool.",
    labels: { pool: "name of the pool" },
  },
  replicaUsed: {
    type: "gauge",
    name: "moraine_database_replica_used",
    help: "1 if requests are read from this replica of the database, 0 if it cannot be reached or is too far behind.",
    labels: { replica: "host and port" },
  },
  replicaLag: {
    type: "gauge",
    name: "moraine_database_replica_lag_seconds",
    help: "How far a replica is behind the primary server, in whole intervals of about one second. No value while it is not known.",
    labels: { replica: "host and port" },
  },
  queueLength: {
    type: "gauge",
    name: "moraine_queue_length",
    help: "Entries that wait in a queue.",
    labels: { queue: QUEUES },
  },
  queueRunning: {
    type: "gauge",
    name: "moraine_queue_running",
    help: "Entries that have left a queue and are being worked on.",
    labels: { queue: QUEUES },
  },
  queueWait: {
    type: "histogram",
    name: "moraine_queue_wait_seconds",
    help: "Time that an entry waited in a queue before it started.",
    labels: { queue: QUEUES },
    buckets: SHORT_SECONDS,
  },
  operationDuration: {
    type: "histogram",
    name: "moraine_graphql_operation_duration_seconds",
    help: "Time to execute a GraphQL operation. REST and JSON-RPC requests run one operation each.",
    labels: {
      operation: "name of an operation of Moraine's own or of `graphql.allowedOperationsFile`, else `other`",
      type: "`query`, `mutation` or `subscription`; of a subscription, the time until it has started",
      outcome: "`ok`, or `error` if the result has errors",
    },
    buckets: REQUEST_SECONDS,
  },
  subscriptions: {
    type: "gauge",
    name: "moraine_graphql_subscriptions",
    help: "Active subscriptions over WebSocket and SSE.",
    labels: {},
  },
  supergraph: {
    type: "gauge",
    name: "moraine_supergraph_info",
    help: "Always 1. The label is the supergraph that is answered. Missing if the settings name no supergraph and no subgraphs.",
    labels: { hash: "the first 12 hex digits of the SHA-256 of its SDL" },
  },
  supergraphSince: {
    type: "gauge",
    name: "moraine_supergraph_since_timestamp_seconds",
    help: "When this supergraph was first answered, in seconds since the epoch. Missing as above.",
    labels: {},
  },
  supergraphRead: {
    type: "gauge",
    name: "moraine_supergraph_read_timestamp_seconds",
    help: "When the supergraph was last read and found the same or replaced, in seconds since the epoch. Missing as above, and before the first time.",
    labels: {},
  },
  supergraphFailures: {
    type: "counter",
    name: "moraine_supergraph_failures_total",
    help: "How often the supergraph could not be read, composed or used, so that the earlier one stayed.",
    labels: {},
  },
  resolverDuration: {
    type: "histogram",
    name: "moraine_graphql_resolver_duration_seconds",
    help: "Time of the resolver of a root field, in the process that runs the subgraph.",
    labels: { field: "type and field such as `Query.evmChain`", outcome: "`ok` or `error`" },
    buckets: REQUEST_SECONDS,
  },
  loaderBatchSize: {
    type: "histogram",
    name: "moraine_loader_batch_size",
    help: "Number of keys that a loader combined into one read. A size of 1 in most reads of a list means that batching does not work.",
    labels: { loader: "name of the loader, or of the statement that it runs" },
    buckets: [1, 2, 5, 10, 25, 50, 100, 250, 1_000],
  },
  statementDuration: {
    type: "histogram",
    name: "moraine_database_statement_duration_seconds",
    help: "Time of a prepared statement, including the wait for a connection. Statements that are sent together have the time of all of them.",
    labels: { statement: "name of the prepared statement", outcome: "`ok` or `error`" },
    buckets: SHORT_SECONDS,
  },
  indexerHeight: {
    type: "gauge",
    name: "moraine_indexer_block_height",
    help: "Height of the last indexed block. -1 if there is none.",
    labels: { chain: "EVM chain id, or network id and chain such as `1/P`", name: "name of the chain" },
  },
  indexerNodeHeight: {
    type: "gauge",
    name: "moraine_indexer_node_height",
    help: "Height of the node's last accepted block, as the indexer last saw it.",
    labels: { chain: "as above", name: "as above" },
  },
  indexerLag: {
    type: "gauge",
    name: "moraine_indexer_lag_blocks",
    help: "Number of blocks that the node has and the database does not. Missing while the chain waits or has stopped: the node's head is not known then.",
    labels: { chain: "as above", name: "as above" },
  },
  indexerLagSeconds: {
    type: "gauge",
    name: "moraine_indexer_lag_seconds",
    help: "Seconds since the database was last seen to end with the node's head or, if it never was, since this process began to index the chain. Grows while the chain catches up, waits or has stopped.",
    labels: { chain: "as above", name: "as above" },
  },
  indexerRate: {
    type: "gauge",
    name: "moraine_indexer_blocks_per_second",
    help: "Indexed blocks per second, over the last five seconds.",
    labels: { chain: "as above", name: "as above" },
  },
  indexerHeadSeen: {
    type: "gauge",
    name: "moraine_indexer_head_seen_timestamp_seconds",
    help: "When the last indexed block was last known to be the node's head, in seconds since the epoch.",
    labels: { chain: "as above", name: "as above" },
  },
  indexerReorganisations: {
    type: "counter",
    name: "moraine_indexer_reorganisations_total",
    help: "How often blocks of an EVM chain were removed, because the node has other blocks at their heights.",
    labels: { chain: "EVM chain id" },
  },
  subgraphRequests: {
    type: "counter",
    name: "moraine_subgraph_requests_total",
    help: "Queries and mutations that the gateway sent to a subgraph in another process. The repetitions of one are not counted.",
    labels: {
      subgraph: "its name",
      outcome: "`ok`, also with GraphQL errors; `failed` if there was no GraphQL result",
    },
  },
  nodeRequests: {
    type: "counter",
    name: "moraine_node_requests_total",
    help: "HTTP requests of the indexer to a node, each with one call or a batch of calls.",
    labels: {
      chain: "EVM chain id, or network id and chain such as `1/P`; `1/info` for the Info API of the network's node",
      node: "name of the node in the settings, such as `node 1`",
      outcome:
        "`ok`; `error` if a call was answered with a JSON-RPC error; `refused` if the batch or its answer was too large, so that it is split; `failed` if there was no usable answer",
    },
  },
  nodeRequestDuration: {
    type: "histogram",
    name: "moraine_node_request_duration_seconds",
    help: "Time of an HTTP request of the indexer to a node, whatever its outcome.",
    labels: { chain: "as above", node: "as above" },
    buckets: REQUEST_SECONDS,
  },
  nodeState: {
    type: "gauge",
    name: "moraine_node_state",
    help: "1 for the current state of a node of a chain, 0 for the others.",
    labels: {
      chain: "EVM chain id, or network id and chain such as `1/P`",
      node: "as above",
      state: "`USABLE`, `UNAVAILABLE` or `QUARANTINED`",
    },
  },
  nodeHeight: {
    type: "gauge",
    name: "moraine_node_height",
    help: "Height of the last accepted block of a node of a chain, as the indexer last saw it.",
    labels: { chain: "as above", node: "as above" },
  },
  exportsEnded: {
    type: "counter",
    name: "moraine_exports_total",
    help: "Export jobs that have ended.",
    labels: { outcome: "`COMPLETED`, `COMPLETED_WITH_WARNING`, `FAILED`, or `CANCELLED`" },
  },
  signaturesEnded: {
    type: "counter",
    name: "moraine_signature_requests_total",
    help: "Requests for signatures of validators that have ended. In the process of the signature service.",
    labels: { outcome: "`SIGNED`, `CALLER_LEFT`, or the code of the error, such as `UNAVAILABLE`" },
  },
  pricesPolled: {
    type: "gauge",
    name: "moraine_prices_polled_timestamp_seconds",
    help: "When the source of prices has last answered, in seconds since the epoch. Missing until it has, and in processes that do not poll.",
    labels: {},
  },
  metadataPending: {
    type: "gauge",
    name: "moraine_metadata_pending",
    help: "Contracts and tokens whose metadata has not been read yet, counted up to 10,000. In the process of the node subgraph.",
    labels: { chain: "EVM chain id", kind: "`erc20`, `nft_contract` or `nft`" },
  },
  indexerExceptions: {
    type: "gauge",
    name: "moraine_indexer_exceptions",
    help: "Number of exceptions of a chain of a primary network: what consensus accepted although the indexed rows contradict it.",
    labels: { chain: "as above", name: "as above" },
  },
  verifiedHeight: {
    type: "gauge",
    name: "moraine_verified_block_height",
    help: "Height up to which the last comparison of samples of the indexed data found no difference. Missing until the first one since the process began.",
    labels: { chain: "as above", name: "as above" },
  },
  verificationDiffering: {
    type: "gauge",
    name: "moraine_verification_differing",
    help: "Number of indexed rows and values that differed in the last comparison of samples. Missing before the first one.",
    labels: { chain: "as above", name: "as above" },
  },
  indexerState: {
    type: "gauge",
    name: "moraine_indexer_state",
    help: "1 for the current state of a chain's indexing, 0 for the others.",
    labels: {
      chain: "as above",
      name: "as above",
      state: "`BACKFILLING`, `FOLLOWING`, `WAITING` or `STOPPED`",
    },
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricKey = keyof typeof METRICS;
type KeyOf<Type extends MetricDefinition["type"]> = {
  [Key in MetricKey]: (typeof METRICS)[Key]["type"] extends Type ? Key : never;
}[MetricKey];
export type CounterKey = KeyOf<"counter">;
export type GaugeKey = KeyOf<"gauge">;
export type HistogramKey = KeyOf<"histogram">;

/** A value for each label of a metric. */
export type LabelsOf<Key extends MetricKey> = Readonly<Record<keyof (typeof METRICS)[Key]["labels"], string>>;
