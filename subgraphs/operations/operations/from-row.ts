import type {
  ExportRequest,
  OperationCode,
  OperationStatus,
  OperationType,
} from "../../../core/database/operations.ts";
import type { Operation as Row } from "../../../prisma/client/client.ts";
import { columns, type TextRow } from "../../shared/rows/text-rows.ts";
import type { ExportedFile, Operation, OperationMetadata, OperationProgress } from "./types.ts";

/** A row as statements return it. Numbers are decimal text, the hash is `0x` hex. */
export type OperationRow = Omit<TextRow<Row>, "requestHash" | "checkpoint">;

/** SELECT list of the members of `OperationRow`. */
export const OPERATION_COLUMNS = columns<OperationRow>(
  "operationId",
  "owner",
  "operationType",
  "operationStatus",
  "isCancelled",
  "message",
  "code",
  "nextDate",
  "request",
  "createdAt",
  "updatedAt",
  "startedAt",
  "endedAt",
  "expiresAt",
  "rowCount",
  "byteCount",
  "totalRows",
  "sha256",
  "fileName",
  "version",
  "cancelTokenHash",
);

/** The operation of a row. Only Moraine writes the table, so its values are not checked. */
export function operationOf(row: OperationRow): Operation {
  const request = JSON.parse(row.request) as ExportRequest;
  return {
    version: BigInt(row.version),
    owner: row.owner,
    cancelTokenHash: row.cancelTokenHash,
    cancelToken: null,
    request,
    operationId: row.operationId,
    operationType: row.operationType as OperationType,
    operationStatus: row.operationStatus as OperationStatus,
    message: row.message,
    metadata: metadataOf(row),
    createdAtTimestamp: row.createdAt,
    updatedAtTimestamp: row.updatedAt,
    startedAtTimestamp: row.startedAt,
    endedAtTimestamp: row.endedAt,
    expiresAtTimestamp: row.expiresAt,
    isCancelled: row.isCancelled,
    progress: progressOf(row),
    file: fileOf(row, request),
  };
}

const isCompleted = ({ operationStatus }: OperationRow): boolean =>
  operationStatus === "COMPLETED" || operationStatus === "COMPLETED_WITH_WARNING";

function metadataOf(row: OperationRow): OperationMetadata | null {
  const { operationId, code, nextDate } = row;
  const fileName = isCompleted(row) ? row.fileName : null;
  if (code === null && nextDate === null && fileName === null) return null;
  return { operationId, fileName, code: code as OperationCode | null, nextDate };
}

function progressOf(row: OperationRow): OperationProgress {
  const { rowCount: rows, totalRows, byteCount: bytes } = row;
  return { rows, totalRows, bytes, fraction: fractionOf(row), etaSeconds: etaSecondsOf(row) };
}

function fractionOf({ rowCount, totalRows }: OperationRow): number | null {
  if (totalRows === null) return null;
  return totalRows === "0" ? 1 : Math.min(Number(rowCount) / Number(totalRows), 1);
}

/** Seconds that the remaining rows of the file take, at the mean rate between the start and the last update of the operation. */
function etaSecondsOf({ operationStatus, rowCount, totalRows, startedAt, updatedAt }: OperationRow): number | null {
  if (operationStatus !== "RUNNING" || totalRows === null || startedAt === null) return null;
  const rows = Number(rowCount);
  const seconds = Number(updatedAt) - Number(startedAt);
  if (rows === 0 || seconds <= 0) return null;
  return Math.max(0, ((Number(totalRows) - rows) * seconds) / rows);
}

function fileOf(row: OperationRow, { compression }: ExportRequest): ExportedFile | null {
  const { operationId, fileName, sha256, expiresAt } = row;
  if (!isCompleted(row) || fileName === null || sha256 === null || expiresAt === null) return null;
  return {
    operationId,
    fileName,
    sizeBytes: row.byteCount,
    rowCount: row.rowCount,
    sha256: sha256.slice(2),
    compression,
    expiresAtTimestamp: expiresAt,
  };
}
