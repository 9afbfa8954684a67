import type pg from "pg";
import {
  ANNOUNCE_CHANGE,
  CANCELLED_MESSAGE,
  type ExportRequest,
  type OperationCode,
  type OperationStatus,
  type OperationType,
} from "../core/database/operations.ts";
import type { ExportedFile } from "../core/exports/files/links.ts";

/** What the exporter reads of an operation. */
export interface Operation {
  readonly operationId: string;
  readonly status: OperationStatus;
  readonly isCancelled: boolean;
  readonly request: ExportRequest;
  readonly checkpoint: string | null;
  /** True from the first attempt on. */
  readonly isStarted: boolean;
}

interface Row extends Omit<Operation, "request"> {
  readonly request: string;
}

const COLUMNS = `operation_id AS "operationId", operation_status AS status, is_cancelled AS "isCancelled", request, checkpoint,
  started_at IS NOT NULL AS "isStarted"`;

/** The operation; null if there is none. */
export async function findOperation(client: pg.ClientBase | pg.Pool, operationId: string): Promise<Operation | null> {
  const text = `SELECT ${COLUMNS} FROM operations WHERE operation_id = $1`;
  const [row] = (await client.query<Row>(text, [operationId])).rows;
  // The operations subgraph has checked the request before it stored it.
  return row ? { ...row, request: JSON.parse(row.request) as ExportRequest } : null;
}

const KINDS: Readonly<Record<ExportRequest["type"], string>> = {
  TRANSACTION_EXPORT_EVM: "evm",
  TRANSACTION_EXPORT_PRIMARY_NETWORK: "primary-network",
  TRANSACTION_EXPORT_PRIMARY_NETWORK_SIMPLE: "primary-network-simple",
  TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING: "primary-network-staking",
};

/** The file that an operation writes. */
export function exportedFile({ operationId, request }: Pick<Operation, "operationId" | "request">): ExportedFile {
  const ending = request.compression === "GZIP" ? "csv.gz" : "csv";
  return { operationId, fileName: `transactions-${KINDS[request.type]}-${operationId.slice(0, 8)}.${ending}` };
}

/** Columns of the table `operations` that a change sets, by name. */
type Change = Readonly<Record<string, string | number | bigint | Buffer | null>>;

/** What the log says about an operation. */
export interface Summary {
  readonly type: OperationType;
  readonly status: OperationStatus;
  readonly code: OperationCode | null;
  readonly rows: number;
  readonly bytes: number;
  /** Seconds from start to end; null unless the operation has started and ended. */
  readonly seconds: number | null;
}

const SUMMARY = `operation_type AS type, operation_status AS status, code, row_count::float8 AS rows, byte_count::float8 AS bytes,
  (ended_at - started_at)::float8 AS seconds`;

/**
 * Changes a running operation and announces the change, in one statement. Returns the operation afterwards; null if it is not
 * there, has ended or, unless `includesCancelled`, is cancelled; then nothing is changed.
 */
export async function changeOperation(
  client: pg.ClientBase | pg.Pool,
  operationId: string,
  change: Change,
  { nowSeconds, includesCancelled = false }: { readonly nowSeconds: number; readonly includesCancelled?: boolean },
): Promise<Summary | null> {
  const names = Object.keys(change);
  const assignments = names.map((name, i) => `${name} = $${i + 3}`);
  const text = `
    WITH changed AS (
      UPDATE operations SET ${[...assignments, "version = version + 1", "updated_at = $2"].join(", ")}
      WHERE operation_id = $1 AND operation_status = 'RUNNING'${includesCancelled ? "" : " AND NOT is_cancelled"}
      RETURNING *)
    SELECT ${SUMMARY}, ${ANNOUNCE_CHANGE} FROM changed`;
  const values = names.map((name) => change[name]);
  const { rows } = await client.query<Summary & { readonly pg_notify: string }>(text, [
    operationId,
    nowSeconds,
    ...values,
  ]);
  if (!rows[0]) return null;
  const { pg_notify: _announced, ...summary } = rows[0];
  return summary;
}

/** Why an operation has failed, for callers. */
export interface Reason {
  readonly code: OperationCode;
  readonly message: string;
}

interface End {
  readonly nowSeconds: number;
  /** Time until the operation is deleted. */
  readonly lifetimeSeconds: number;
}

/**
 * Ends a running operation as failed. For a cancelled operation, the message says that it was cancelled, and `reason` is
 * ignored. Returns null in the cases of `changeOperation`.
 */
export async function failOperation(
  client: pg.ClientBase | pg.Pool,
  { operationId, isCancelled }: Pick<Operation, "operationId" | "isCancelled">,
  reason: Reason | null,
  { nowSeconds, lifetimeSeconds }: End,
): Promise<Summary | null> {
  const change = {
    operation_status: "FAILED" satisfies OperationStatus,
    code: isCancelled ? null : (reason?.code ?? null),
    message: isCancelled ? CANCELLED_MESSAGE : (reason?.message ?? null),
    ended_at: nowSeconds,
    expires_at: nowSeconds + lifetimeSeconds,
    checkpoint: null,
  };
  return changeOperation(client, operationId, change, { nowSeconds, includesCancelled: isCancelled });
}
