import { stat } from "node:fs/promises";
import type pg from "pg";
import { completePath } from "../files/local-store.ts";

/** A complete file in the local directory. */
export interface CompleteFile {
  readonly path: string;
  readonly size: number;
  readonly fileName: string;
  /** In hex. */
  readonly sha256: string;
}

interface Row {
  readonly fileName: string;
  readonly state: string;
  readonly sha256: string;
  readonly bytes: string;
}

const TEXT = `
  SELECT file_name AS "fileName", checkpoint AS state, encode(sha256, 'hex') AS sha256, byte_count AS bytes
  FROM operations WHERE operation_id = $1 AND operation_status LIKE 'COMPLETED%' AND checkpoint IS NOT NULL`;

/** The file of an operation that has completed. Null if the directory has no such file, or one of another size. */
export async function findCompleteFile(
  pool: pg.Pool,
  directory: string,
  operationId: string,
): Promise<CompleteFile | null> {
  const [row] = (await pool.query<Row>(TEXT, [operationId])).rows;
  const path = row ? completePath(directory, row.state) : null;
  if (!row || !path) return null;
  const size = await stat(path).then(
    (file) => file.size,
    () => null,
  );
  return size === Number(row.bytes) ? { path, size, fileName: row.fileName, sha256: row.sha256 } : null;
}
