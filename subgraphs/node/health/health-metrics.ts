import type { Database } from "../../../core/database/database.ts";
import { readGauge } from "../../../core/observability/registry.ts";
import type { HealthReport } from "./types.ts";

/** Counting stops here: a chain of NFTs may have millions of new tokens. */
const MAX_PENDING = 10_000;
const pendingOf = (kind: string, table: string, status: string) => `SELECT h.chain_id::text AS chain, '${kind}' AS kind,
    (SELECT count(*) FROM (SELECT FROM ${table} t WHERE t.chain_id = h.chain_id AND t.${status} = 'PENDING' LIMIT ${MAX_PENDING}) p)::int AS count
  FROM chain_heads h`;
const PENDING = [
  pendingOf("erc20", "erc20_tokens", "metadata_status"),
  pendingOf("nft_contract", "nft_contracts", "metadata_status"),
  pendingOf("nft", "nft_items", "metadata_state"),
].join(" UNION ALL ");
const SIZE = "SELECT pg_database_size(current_database())::text AS bytes";

/** Shows the last results of the health checks and the size of the database as metrics, until it is disposed. */
export function showHealthMetrics(report: () => HealthReport, { pool }: Pick<Database, "pool">): Disposable {
  const gauges = [
    readGauge("healthCheck", () =>
      report().checks.map(({ name, error }) => ({ labels: { check: name }, value: error === null ? 1 : 0 })),
    ),
    readGauge("diskFree", () =>
      report().checks.flatMap(({ name, message }) => (name === "diskspace" ? freeBytes(message) : [])),
    ),
    readGauge("databaseSize", async () => {
      const { rows } = await pool.query<{ bytes: string }>(SIZE);
      return rows.map(({ bytes }) => ({ labels: {}, value: Number(bytes) }));
    }),
    readGauge("metadataPending", async () => {
      const { rows } = await pool.query<{ chain: string; kind: string; count: number }>(PENDING);
      return rows.map(({ chain, kind, count }) => ({ labels: { chain, kind }, value: count }));
    }),
  ];
  return {
    [Symbol.dispose]() {
      for (const gauge of gauges) gauge[Symbol.dispose]();
    },
  };
}

/** Empty before the first run of the check. */
function freeBytes(message: unknown) {
  const { availableDiskBytes } = Object(message) as { readonly availableDiskBytes?: number };
  return availableDiskBytes === undefined ? [] : [{ labels: {}, value: availableDiskBytes }];
}
