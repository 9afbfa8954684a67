import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { tryLock } from "./advisory-lock.ts";
import { inChunks } from "./encoded-rows.ts";

const CHUNK_CHARACTERS = 1 << 16;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * The only database session that may do a task, such as writing a chain. It holds the advisory lock of the task's name, which
 * ends with the session.
 */
export interface Writer extends AsyncDisposable {
  /** Runs a task in a transaction of its own, which is rolled back if the task throws. Tasks run one after another. */
  transaction<Result>(
    task: (session: Session) => Promise<Result>,
    options?: { readonly relaxed?: boolean },
  ): Promise<Result>;
  /** Aborts when the session is lost. Another process may then become the writer. */
  readonly lost: AbortSignal;
}

/** The statements of a transaction. */
export interface Session {
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Inserts rows with COPY. Values are PostgreSQL's text forms; `null` is NULL. */
  copy(table: string, columns: readonly string[], rows: Iterable<readonly (string | null)[]>): Promise<void>;
  /** Inserts rows that are in the text format of COPY, as `encodedRows` returns them. */
  copyEncoded(table: string, columns: readonly string[], parts: Iterable<Buffer>): Promise<void>;
}

/**
 * Becomes the writer of `name`; returns null if another session is the writer. A `relaxed` transaction commits asynchronously:
 * if the database server crashes, the last transactions may be lost (never in part or out of order). The indexing then continues
 * after the last transaction that was kept.
 */
export async function tryBecomeWriter(url: string, name: string): Promise<Writer | null> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `moraine writer ${name}`,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  const lost = new AbortController();
  client.on("error", (error) => lost.abort(error));
  client.on("end", () => lost.abort(new Error("the database connection ended")));
  await client.connect();
  const got = await tryLock(client, `moraine writer ${name}`).catch(async (error: unknown) => {
    await client.end();
    throw error;
  });
  if (!got) {
    await client.end();
    return null;
  }
  let queue: Promise<unknown> = Promise.resolve();
  const enqueue = <Result>(task: () => Promise<Result>): Promise<Result> => {
    const result = queue.then(task, task);
    queue = result.catch(() => {});
    return result;
  };
  return {
    lost: lost.signal,
    transaction: (task, options) => enqueue(() => inTransaction(client, task, options?.relaxed ?? false)),
    [Symbol.asyncDispose]: () => enqueue(() => client.end()),
  };
}

async function inTransaction<Result>(
  client: pg.Client,
  task: (session: Session) => Promise<Result>,
  relaxed: boolean,
): Promise<Result> {
  await client.query(relaxed ? "BEGIN; SET LOCAL synchronous_commit = off" : "BEGIN");
  try {
    const result = await task(sessionOf(client));
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

function sessionOf(client: pg.Client): Session {
  return {
    async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) {
      return (await client.query<Row>(text, [...values])).rows;
    },
    copy: (table, columns, rows) => copyChunks(client, table, columns, copyText(rows)),
    copyEncoded: (table, columns, parts) => copyChunks(client, table, columns, inChunks(parts)),
  };
}

async function copyChunks(
  client: pg.Client,
  table: string,
  columns: readonly string[],
  chunks: Iterable<string | Buffer>,
): Promise<void> {
  const sink = client.query(
    copyFrom(`COPY ${table} (${columns.map((column) => `"${column}"`).join(", ")}) FROM STDIN`),
  );
  await pipeline(Readable.from(chunks), sink);
}

const SPECIAL = /[\\\t\n\r]/g;
const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const escapeCharacter = (character: string): string => ESCAPES[character] ?? character;

/** A value in the text format of COPY. */
function fieldText(value: string | null): string {
  if (value === null) return "\\N";
  // Byte strings begin with a backslash, and have no other character to escape. Texts of other origin may have some.
  const from = value.startsWith("\\") ? 1 : 0;
  SPECIAL.lastIndex = from;
  if (SPECIAL.test(value)) return value.replace(SPECIAL, escapeCharacter);
  return from === 0 ? value : `\\${value}`;
}

/** Rows in the text format of COPY, in chunks. */
function* copyText(rows: Iterable<readonly (string | null)[]>): Generator<string> {
  let text = "";
  for (const row of rows) {
    let separator = "";
    for (const value of row) {
      text += separator + fieldText(value);
      separator = "\t";
    }
    text += "\n";
    if (text.length < CHUNK_CHARACTERS) continue;
    yield text;
    text = "";
  }
  if (text) yield text;
}
