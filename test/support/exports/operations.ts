import { createHash, randomUUID } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import type pg from "pg";
import { addExportJob } from "../../../core/database/job-queue.ts";
import { type EvmExportRequest, type ExportFileForm, OPERATIONS_CHANNEL } from "../../../core/database/operations.ts";
import { inTransaction } from "../../../core/database/transaction.ts";
import { until } from "../indexed/indexing.ts";
import { NUMBERED_COLUMNS } from "./numbered-source.ts";

/** The row of an operation, with the columns that tests read. */
export interface StoredOperation {
  readonly operation_id: string;
  readonly request: string;
  readonly operation_status: string;
  readonly is_cancelled: boolean;
  readonly message: string | null;
  readonly code: string | null;
  readonly next_date: string | null;
  readonly row_count: string;
  readonly byte_count: string;
  readonly total_rows: string | null;
  readonly sha256: Buffer | null;
  readonly file_name: string | null;
  readonly checkpoint: string | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly expires_at: string | null;
  readonly version: string;
}

interface StartOptions extends Partial<ExportFileForm> {
  readonly firstDate?: string;
  /** Default: an address of its own, on chain 1. */
  readonly rowsOf?: { readonly address: string; readonly chainId: string };
}

/** Stores an operation with its job, as the operations subgraph does. Returns its id. */
export async function startOperation(pool: pg.Pool, options: StartOptions = {}): Promise<string> {
  const operationId = randomUUID();
  const unused = `0x${createHash("sha256").update(operationId).digest("hex").slice(0, 40)}`;
  const { rowsOf = { address: unused, chainId: "1" }, firstDate = null, compression = "NONE", ...form } = options;
  const request: EvmExportRequest = {
    type: "TRANSACTION_EXPORT_EVM",
    addresses: [rowsOf.address],
    chainIds: [rowsOf.chainId],
    compression,
    ...form,
    firstDate,
    lastDate: null,
  };
  const text = JSON.stringify(request);
  await inTransaction(pool, async (client) => {
    await client.query(
      `INSERT INTO operations (operation_id, owner, operation_type, operation_status, request, request_hash, created_at, updated_at)
      VALUES ($1, '', $2, 'RUNNING', $3, sha256(convert_to($3, 'UTF8')), 1, 1)`,
      [operationId, request.type, text],
    );
    await addExportJob(client, operationId);
    await client.query("SELECT pg_notify($1, json_build_object('operationId', $2::text, 'owner', '')::text)", [
      OPERATIONS_CHANNEL,
      operationId,
    ]);
  });
  return operationId;
}

/** Marks an operation as cancelled and announces it. */
export async function cancelOperation(pool: pg.Pool, operationId: string): Promise<void> {
  await pool.query(
    `WITH changed AS (UPDATE operations SET is_cancelled = true, version = version + 1 WHERE operation_id = $1 RETURNING *)
    SELECT pg_notify('moraine_operations', json_build_object('operationId', operation_id, 'owner', owner)::text) FROM changed`,
    [operationId],
  );
}

/** The operation's row; undefined if it is deleted. */
export async function readOperation(pool: pg.Pool, operationId: string): Promise<StoredOperation | undefined> {
  const { rows } = await pool.query<StoredOperation>("SELECT * FROM operations WHERE operation_id = $1", [operationId]);
  return rows[0];
}

/** Resolves with the row when the operation meets the condition. Failures of the database while waiting are ignored. */
export async function untilOperation(
  pool: pg.Pool,
  operationId: string,
  isMet: (operation: StoredOperation) => boolean,
  what: string,
): Promise<StoredOperation> {
  const read = () => readOperation(pool, operationId).catch(() => undefined);
  const found = await until(read, (operation) => operation !== undefined && isMet(operation), what);
  return found as StoredOperation; // the condition has checked it
}

export const untilEnded = (pool: pg.Pool, operationId: string): Promise<StoredOperation> =>
  untilOperation(pool, operationId, ({ operation_status: status }) => status !== "RUNNING", "the operation to end");

/** Resolves when no job is in the queue: the workers have also deleted what their jobs left. */
export async function untilNoJobs(pool: pg.Pool): Promise<void> {
  const count = async () => (await pool.query("SELECT FROM graphile_worker.jobs")).rowCount;
  await until(count, (jobs) => jobs === 0, "the queue to be empty");
}

const BYTE_ORDER_MARK = "\ufeff";

/** Parses an exported file and checks its byte order mark, its header, its line ends, and the facts that the operation states about it. */
export function parseFile(file: Buffer, operation: StoredOperation): string[][] {
  expect(operation.sha256?.toString("hex")).toBe(createHash("sha256").update(file).digest("hex"));
  expect(Number(operation.byte_count)).toBe(file.length);
  const csv = (operation.file_name?.endsWith(".gz") ? gunzipSync(file) : file).toString("utf8");
  expect(csv.endsWith("\r\n")).toBe(true);
  const { byteOrderMark = false } = JSON.parse(operation.request) as EvmExportRequest;
  expect(csv.lastIndexOf(BYTE_ORDER_MARK)).toBe(byteOrderMark ? 0 : -1);
  const [header, ...rows] = parse(csv, { record_delimiter: "\r\n", bom: true }) as string[][];
  expect(header).toEqual(NUMBERED_COLUMNS);
  expect(Number(operation.row_count)).toBe(rows.length);
  return rows;
}
