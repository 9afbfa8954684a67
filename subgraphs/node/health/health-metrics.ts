import type pg from "pg";
import type { Config } from "../../../core/config/config-schema.ts";
import type { Databases } from "../../../core/database/database.ts";
import { poolOf, poolsOf } from "../../../core/database/statement-pool.ts";
import { databaseBytes } from "../../../core/database/workers.ts";
import { readGauge } from "../../../core/observability/registry.ts";
import type { HealthReport } from "./types.ts";

/** Counting stops here: a chain of NFTs may have millions of new tokens. */
const MAX_PENDING = 10_000;
const pendingOf = (kind: string, table: string, status: string) => `SELECT h.chain_id::text AS chain, '${kind}' AS kind,
    (SELECT count(*) FROM (SELECT FROM ${table} t WHERE t.chain_id = h.chain_id AND t.${status} = 'PENDING' LIMIT ${MAX_PENDING}) p)::int AS count
  FROM chain_heads h WHERE h.chain_id <> ALL ($1::bigint[])`;
const PENDING = [
  pendingOf("erc20", "erc20_tokens", "metadata_status"),
  pendingOf("nft_contract", "nft_contracts", "metadata_status"),
  pendingOf("nft", "nft_items", "metadata_state"),
].join(" UNION ALL ");

interface Pending {
  readonly chain: string;
  readonly kind: string;
  readonly count: number;
}

/** Shows the last results of the health checks and the size of the databases as metrics, until it is disposed. */
export function showHealthMetrics(
  report: () => HealthReport,
  { evm, cells }: Pick<Databases, "evm" | "cells">,
  { evmChains }: Pick<Config, "evmChains">,
): Disposable {
  const chainIds = evmChains.map(({ chainId }) => chainId);
  /** The rows of a chain that was moved stay in its earlier database until they are dropped. */
  const pendingIn = (pool: pg.Pool) =>
    pool.query<Pending>(PENDING, [chainIds.filter((chainId) => poolOf(evm.pool, chainId) !== pool)]);
  const gauges = [
    readGauge("healthCheck", () =>
      report().checks.map(({ name, error }) => ({ labels: { check: name }, value: error === null ? 1 : 0 })),
    ),
    readGauge("diskFree", () =>
      report().checks.flatMap(({ name, message }) => (name === "diskspace" ? freeBytes(message) : [])),
    ),
    readGauge("databaseSize", async () => {
      const sizes = await readable([...cells.values()].map(databaseBytes));
      return [{ labels: {}, value: sizes.reduce((sum, bytes) => sum + bytes, 0) }];
    }),
    readGauge("metadataPending", async () => {
      const found = await readable(poolsOf(evm.pool).map(pendingIn));
      const rows = found.flatMap((one) => one.rows);
      return rows.map(({ chain, kind, count }) => ({ labels: { chain, kind }, value: count }));
    }),
  ];
  return {
    [Symbol.dispose]() {
      for (const gauge of gauges) gauge[Symbol.dispose]();
    },
  };
}

/** What could be read: a database that is unavailable is left out. Rejects as the first if none could be read. */
async function readable<Found>(reads: readonly Promise<Found>[]): Promise<Found[]> {
  const settled = await Promise.allSettled(reads);
  const found = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  if (found.length === 0) await Promise.all(reads);
  return found;
}

/** Empty before the first run of the check. */
function freeBytes(message: unknown) {
  const { availableDiskBytes } = Object(message) as { readonly availableDiskBytes?: number };
  return availableDiskBytes === undefined ? [] : [{ labels: {}, value: availableDiskBytes }];
}
