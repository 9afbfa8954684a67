import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import pg from "pg";
import { ConfigError } from "../../core/config/config.ts";
import type { TableName } from "../../core/database/table-columns.ts";
import { COLUMNS } from "../../prisma/columns.ts";
import type { Queries, Session } from "../shared/writer.ts";
import { type Scope, type TableFiles, whereInScope } from "./manifest.ts";

const compress = promisify(gzip);
const decompress = promisify(gunzip);

const PAGE = 1_000;
/** A file ends with the page with which it has this number of characters. */
const FILE_CHARACTERS = 64 << 20;

/** A part of a table: a JSON object for each row and line, as PostgreSQL writes it, so that numbers keep all their digits. */
interface TablePart {
  readonly rows: number;
  readonly bytes: Buffer;
}

/** The columns of a table. */
export const columnsOf = (table: TableName): string[] => Object.keys(COLUMNS[table]);

/** Reads a table in parts: all of it, or the rows of the chains and networks of a scope. */
export async function* tableParts(
  session: Queries,
  table: TableName,
  only: Scope | undefined,
): AsyncGenerator<TablePart> {
  const where = whereInScope(only, columnsOf(table));
  if (where === null) return;
  // The row of a table, and not that of a subquery: the extension Citus loses the names of its columns.
  await session.query(
    `DECLARE saved NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS line FROM ${pg.escapeIdentifier(table)} t ${where}`,
  );
  let lines: string[] = [];
  let size = 0;
  for (let isMore = true; isMore; ) {
    const page = await session.query<{ line: string }>(`FETCH ${PAGE} FROM saved`);
    isMore = page.length > 0;
    for (const { line } of page) {
      lines.push(line);
      size += line.length;
    }
    if (lines.length > 0 && (!isMore || size >= FILE_CHARACTERS)) {
      yield { rows: lines.length, bytes: await compress(`${lines.join("\n")}\n`) };
      lines = [];
      size = 0;
    }
  }
  await session.query("CLOSE saved");
}

/** Inserts the rows of a part. Columns that the part does not have get their defaults. */
export async function insertPart(session: Session, { table, columns }: TableFiles, bytes: Buffer): Promise<void> {
  const known: readonly string[] = columnsOf(table as TableName);
  const unknown = columns.find((column) => !known.includes(column));
  if (unknown !== undefined)
    throw new ConfigError(
      `the backup has a column ${unknown} of ${table}, which this version of Moraine does not know: restore it with the version that wrote it, then upgrade`,
    );
  const [name, list] = [pg.escapeIdentifier(table), columns.map((column) => pg.escapeIdentifier(column)).join(", ")];
  const lines = (await decompress(bytes)).toString().split("\n").filter(Boolean);
  for (let i = 0; i < lines.length; i += PAGE)
    await session.query(
      `INSERT INTO ${name} (${list}) SELECT ${list} FROM json_populate_recordset(NULL::${name}, $1::json)`,
      [`[${lines.slice(i, i + PAGE).join(",")}]`],
    );
}

/** The next id of a table whose ids count up. */
export const RESET_SEQUENCES =
  "SELECT setval(pg_get_serial_sequence('contract_abis', 'abi_id'), (SELECT coalesce(max(abi_id), 0) + 1 FROM contract_abis), false)";
