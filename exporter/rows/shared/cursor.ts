import type { ClientBase, CustomTypesConfig, QueryResultRow } from "pg";

/** Columns as PostgreSQL writes them: bytes as `\x` hex, booleans as `t` and `f`. */
const TEXT_TYPES = { getTypeParser: () => (text: string) => text } as CustomTypesConfig;

/** Number of rows that one FETCH returns. */
const FETCH_SIZE = 2_000;

export interface CursorQuery {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Settings of the planner and the sort while the cursor is opened and read; restored at its end. */
  readonly settings: Readonly<Record<string, string>>;
}

let cursorCount = 0;

/**
 * Reads a query through a server-side cursor in the transaction that is open on the client. Between batches, the client can
 * run other statements. The cursor is closed when the caller stops early.
 */
export async function* readCursor<Row extends QueryResultRow>(
  client: ClientBase,
  { text, values, settings }: CursorQuery,
  signal: AbortSignal,
): AsyncGenerator<Row[]> {
  const name = `export_rows_${++cursorCount}`;
  signal.throwIfAborted();
  await useSettings(client, settings);
  await client.query(`DECLARE ${name} NO SCROLL CURSOR FOR ${text}`, [...values]);
  let hasFailed = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const { rows } = await client.query<Row>({ text: `FETCH ${FETCH_SIZE} FROM ${name}`, types: TEXT_TYPES });
      if (rows.length > 0) yield rows;
      if (rows.length < FETCH_SIZE) return;
    }
  } catch (error) {
    hasFailed = true;
    throw error;
  } finally {
    // After an error of the database, the transaction accepts no further statement and its end closes the cursor.
    if (!hasFailed) {
      await client.query(`CLOSE ${name}`);
      await useSettings(client, Object.fromEntries(Object.keys(settings).map((setting) => [setting, null])));
    }
  }
}

async function useSettings(client: ClientBase, settings: Readonly<Record<string, string | null>>): Promise<void> {
  for (const [name, value] of Object.entries(settings))
    await client.query(value === null ? `SET LOCAL ${name} TO DEFAULT` : `SET LOCAL ${name} = ${value}`);
}

/** Runs a statement whose result is small, with columns as text. */
export async function readAll<Row extends QueryResultRow>(
  client: ClientBase,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  return (await client.query<Row>({ text, values: [...values], types: TEXT_TYPES })).rows;
}
