/** A panel of the dashboard: queries with the legend of each. */
interface Panel {
  readonly title: string;
  /** Unit of Grafana, such as `s`, `bytes` or `reqps`. */
  readonly unit: string;
  readonly queries: readonly (readonly [expression: string, legend: string])[];
}

const REQUESTS = "moraine_http_request_duration_seconds";

const PANELS: readonly Panel[] = [
  { title: "Blocks behind the node", unit: "short", queries: [["moraine_indexer_lag_blocks", "{{name}}"]] },
  { title: "Time behind the node", unit: "s", queries: [["moraine_indexer_lag_seconds", "{{name}}"]] },
  { title: "Indexed blocks per second", unit: "short", queries: [["moraine_indexer_blocks_per_second", "{{name}}"]] },
  {
    title: "Chains that wait or have stopped",
    unit: "short",
    queries: [['moraine_indexer_state{state=~"WAITING|STOPPED"} == 1', "{{name}} {{state}}"]],
  },
  {
    title: "Requests per second by route",
    unit: "reqps",
    queries: [[`sum by (route) (rate(${REQUESTS}_count[5m]))`, "{{route}}"]],
  },
  {
    title: "Requests per second by status",
    unit: "reqps",
    queries: [[`sum by (status) (rate(${REQUESTS}_count[5m]))`, "{{status}}"]],
  },
  {
    title: "Time of requests",
    unit: "s",
    queries: [
      [`histogram_quantile(0.5, sum by (le) (rate(${REQUESTS}_bucket[5m])))`, "median"],
      [`histogram_quantile(0.99, sum by (le) (rate(${REQUESTS}_bucket[5m])))`, "99th percentile"],
    ],
  },
  {
    title: "Refused requests per second",
    unit: "reqps",
    queries: [["sum by (reason) (rate(moraine_requests_rejected_total[5m]))", "{{reason}}"]],
  },
  {
    title: "GraphQL operations per second",
    unit: "ops",
    queries: [["sum by (operation) (rate(moraine_graphql_operation_duration_seconds_count[5m]))", "{{operation}}"]],
  },
  {
    title: "Subscriptions and connections",
    unit: "short",
    queries: [
      ["moraine_graphql_subscriptions", "subscriptions"],
      ["moraine_http_connections", "connections"],
    ],
  },
  { title: "Queues", unit: "short", queries: [["moraine_queue_length", "{{queue}}"]] },
  {
    title: "Database connections",
    unit: "short",
    queries: [
      ["moraine_database_pool_connections", "{{pool}} {{state}}"],
      ["moraine_database_pool_waiting", "{{pool}} waiting"],
    ],
  },
  { title: "Health checks that fail", unit: "short", queries: [["moraine_health_check == 0", "{{check}}"]] },
  {
    title: "Disk and database",
    unit: "bytes",
    queries: [
      ["moraine_disk_free_bytes", "free disk"],
      ["moraine_database_size_bytes", "database"],
    ],
  },
  { title: "Memory by process", unit: "bytes", queries: [["process_resident_memory_bytes", "{{process}}"]] },
  {
    title: "Delay of the event loop, 99th percentile",
    unit: "s",
    queries: [["nodejs_eventloop_lag_p99_seconds", "{{process}}"]],
  },
  {
    title: "Exports by outcome, per hour",
    unit: "short",
    queries: [["sum by (outcome) (increase(moraine_exports_total[1h]))", "{{outcome}}"]],
  },
  {
    title: "Requests for signatures by outcome, per hour",
    unit: "short",
    queries: [["sum by (outcome) (increase(moraine_signature_requests_total[1h]))", "{{outcome}}"]],
  },
  {
    title: "Metadata that is not read yet",
    unit: "short",
    queries: [["sum by (chain, kind) (moraine_metadata_pending)", "chain {{chain}} {{kind}}"]],
  },
  { title: "Age of prices", unit: "s", queries: [["time() - moraine_prices_polled_timestamp_seconds", "prices"]] },
  {
    title: "Restarts and reorganisations, per hour",
    unit: "short",
    queries: [
      ["increase(moraine_process_restarts_total[1h])", "{{name}}"],
      ["increase(moraine_indexer_reorganisations_total[1h])", "chain {{chain}}"],
    ],
  },
];

const COLUMNS = 3;
const WIDTH = 8;
const HEIGHT = 7;
const DATASOURCE = { type: "prometheus", uid: "$datasource" };

/** Content of deploy/grafana/moraine.json: a dashboard for Grafana 10 or later. The reader selects the source of data. */
export function grafanaDashboard(): string {
  const dashboard = {
    title: "Moraine",
    uid: "moraine",
    tags: ["moraine"],
    schemaVersion: 39,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    templating: { list: [{ name: "datasource", label: "Source of data", type: "datasource", query: "prometheus" }] },
    panels: PANELS.map(({ title, unit, queries }, index) => ({
      id: index + 1,
      type: "timeseries",
      title,
      datasource: DATASOURCE,
      gridPos: { h: HEIGHT, w: WIDTH, x: (index % COLUMNS) * WIDTH, y: Math.floor(index / COLUMNS) * HEIGHT },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: queries.map(([expr, legendFormat], at) => ({
        refId: String.fromCharCode(65 + at),
        datasource: DATASOURCE,
        expr,
        legendFormat,
      })),
    })),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
