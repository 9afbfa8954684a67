import type pg from "pg";
import type { Config } from "../../core/config/config-schema.ts";
import type { EvmExportRequest, ExportRequest, PrimaryExportRequest } from "../../core/database/operations.ts";
import type { DayRows, ExportSource, LastBlock, ReadOptions, RowBatch } from "../../exporter/export-source.ts";
import { createExportSource } from "../../exporter/rows/source.ts";

/** A row of an export by the names of its columns. */
export type ExportedRow = Readonly<Record<string, string>>;

const DAYS = { firstDate: null, lastDate: null, compression: "NONE" } as const;

export function evmRequest(request: Pick<EvmExportRequest, "addresses" | "chainIds"> & Partial<EvmExportRequest>) {
  return { ...DAYS, type: "TRANSACTION_EXPORT_EVM", ...request } as const satisfies ExportRequest;
}

export function primaryRequest(request: Pick<PrimaryExportRequest, "networkId"> & Partial<PrimaryExportRequest>) {
  const type = "TRANSACTION_EXPORT_PRIMARY_NETWORK";
  const chains = ["P", "X", "C"] as const;
  return { ...DAYS, type, network: "fuji", chains, addresses: [], evmAddresses: [], ...request } as const;
}

/** An export source in a transaction of its own connection. */
export interface OpenedSource {
  readonly source: ExportSource;
  readonly client: pg.PoolClient;
  readonly bounds: readonly LastBlock[];
  countDays(): Promise<readonly DayRows[]>;
  batches(options?: Partial<ReadOptions>): Promise<RowBatch[]>;
  rows(options?: Partial<ReadOptions>): Promise<ExportedRow[]>;
}

/** Opens the source of a request, runs the task, and rolls back. `earlier`: the bounds of an earlier attempt. */
export async function withSource<Result>(
  pool: pg.Pool,
  request: ExportRequest,
  config: Config,
  task: (opened: OpenedSource) => Promise<Result>,
  earlier?: readonly LastBlock[],
): Promise<Result> {
  const source = createExportSource(request, { config });
  const client = await pool.connect();
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    const bounds = earlier ?? (await source.readBounds(client));
    const batches = async (options: Partial<ReadOptions> = {}): Promise<RowBatch[]> => {
      const { signal } = new AbortController();
      const all: RowBatch[] = [];
      for await (const batch of source.read(client, bounds, { after: null, beforeDate: null, signal, ...options }))
        all.push(batch);
      return all;
    };
    return await task({
      source,
      client,
      bounds,
      countDays: () => source.countDays(client, bounds),
      batches,
      rows: async (options) => (await batches(options)).flatMap(({ rows }) => rows.map((row) => named(source, row))),
    });
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
}

/** All rows of a request. */
export function exportedRows(pool: pg.Pool, request: ExportRequest, config: Config): Promise<ExportedRow[]> {
  return withSource(pool, request, config, ({ rows }) => rows());
}

const named = ({ columns }: ExportSource, row: readonly string[]): ExportedRow =>
  Object.fromEntries(columns.map(({ name }, index) => [name, row[index] as string]));
