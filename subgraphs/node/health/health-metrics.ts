import type { Database } from "../../../core/database/database.ts";
import { readGauge } from "../../../core/observability/registry.ts";
import type { HealthReport } from "./types.ts";

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
