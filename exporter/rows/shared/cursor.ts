import type { ClientBase, CustomTypesConfig, QueryResultRow } from "pg";
import { restoreSettings, type TransactionSettings, useSettings } from "../../../core/database/transaction-settings.ts";

/** Columns as PostgreSQL writes them: bytes as `\x` hex, booleans as `t` and `f`. */
const TEXT_TYPES = { getTypeParser: () => (text: string) => text } as CustomTypesConfig;

/**
 * Number of rows that one FETCH returns. PostgreSQL and this process each work 2 to 3 ms on so many rows. That is less than the
 * 4 ms that Linux usually lets a process run while another one waits for the core. With 1,000 rows, the slowest requests of the
 * API beside an export take longer.
 */
const FETCH_SIZE = 250;

/** A query of rows in file order, without its values. */
export interface RowQuery {
  readonly text: string;
  /** Settings of PostgreSQL while the cursor is opened and read. They are reset to their defaults at its end. */
  readonly settings: TransactionSettings;
}

export interface CursorQuery extends RowQuery {
  readonly values: readonly unknown[];
}

/**
 * Makes the result of a batch of rows, with what they need from other tables. Returns null if the rows wait for the next
 * batch. `isLast`: no rows follow.
 */
export type Complete<Row, Result> = (rows: Row[], isLast: boolean) => Promise<Result | null>;

let cursorCount = 0;

/**
 * Reads a query through a server-side cursor in the transaction that is open on the client. Either PostgreSQL or this process
 * works, never both at once: an export may use one core, so that on two cores the API always has another. While the caller
 * has a result, the client is free for other statements. The cursor is closed when the caller stops early.
 */
export async function* readCursor<Row extends QueryResultRow, Result>(
  client: ClientBase,
  { text, values, settings }: CursorQuery,
  complete: Complete<Row, Result>,
  signal: AbortSignal,
): AsyncGenerator<Result> {
  const name = `export_rows_${++cursorCount}`;
  const fetch = async (): Promise<Row[]> => {
    signal.throwIfAborted();
    return (await client.query<Row>({ text: `FETCH ${FETCH_SIZE} FROM ${name}`, types: TEXT_TYPES })).rows;
  };
  signal.throwIfAborted();
  await useSettings(client, settings);
  await client.query(`DECLARE ${name} NO SCROLL CURSOR FOR ${text}`, [...values]);
  let hasFailed = false;
  try {
    for (;;) {
      const rows = await fetch();
      const isLast = rows.length < FETCH_SIZE;
      const result = await complete(rows, isLast);
      if (result !== null) yield result;
      if (isLast) return;
    }
  } catch (error) {
    hasFailed = true;
    throw error;
  } finally {
    // After an error of the database, the transaction accepts no further statement and its end closes the cursor.
    if (!hasFailed) {
      await client.query(`CLOSE ${name}`);
      await restoreSettings(client, settings);
    }
  }
}

/** Runs a statement whose result is small, with columns as text. */
export async function readAll<Row extends QueryResultRow>(
  client: ClientBase,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  return (await client.query<Row>({ text, values: [...values], types: TEXT_TYPES })).rows;
}
