import { EventEmitter } from "node:events";
import pg from "pg";
import { errorCode } from "../errors/errors.ts";
import type { Work } from "../work/work.ts";
import { createPool, urlOf } from "./postgres/connect.ts";
import { type Columns, createRowReader, latin1Of, type TextRows } from "./rows.ts";

/** What the driver has and declares no types of. All code of Moraine that uses it is in this file, and its test says if it is missing. */
interface DriverClient {
  readonly connection: pg.Connection & { attachListeners(stream: EventEmitter): void };
  _getActiveQuery(): pg.Submittable | null;
}
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): string | Buffer | null } }).utils;

/** A client of the driver that leaves the rows of `queryTexts` to it. The driver parses all other messages. */
export class TextClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const client = this as unknown as DriverClient;
    const { connection } = client;
    const attachListeners = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => {
      const others = new EventEmitter();
      attachListeners(others);
      const onOther = (bytes: Buffer) => others.emit("data", bytes);
      const onRows = (bytes: Buffer) => {
        const query = client._getActiveQuery();
        if (query instanceof TextQuery) query.handleRows(bytes);
        else onOther(bytes);
      };
      stream.on("data", createRowReader(onRows, onOther));
      stream.once("end", () => others.emit("end"));
    };
  }
}

/** A statement that each connection prepares when it is first sent, and its values. */
export interface Statement {
  /** No other statement of the process has this name. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /**
   * The chain or network of the parameter `$1`. Each connection prepares the statement once for each of them, with its number in the text in
   * place of the parameter. Null for a statement that is prepared with all its parameters.
   */
  readonly partition: string | null;
}

/** The columns of the statements that a connection has prepared, by name: the one that was used last is the last one. */
const preparedOn = new WeakMap<pg.Connection, Map<string, Columns>>();

/** A connection closes the statements beyond these that it has not used for longest: PostgreSQL keeps about 0.1 MB for each. */
const MOST_PREPARED = 500;

const preparedName = ({ name, partition }: Statement): string => (partition === null ? name : `${name}@${partition}`);

interface Result {
  columns: Columns;
  readonly parts: string[];
}

type Callback = (error: Error | null, results?: TextRows[]) => void;

/** Statements whose messages are written together, as a query that the driver submits and tells of the messages that arrive. */
class TextQuery {
  /** Set by the driver. */
  callback: Callback = () => {};
  readonly statements: readonly Statement[];
  readonly #values: readonly (string | Buffer | null)[][];
  readonly #results: Result[] = [];
  #prepared = new Map<string, Columns>();
  /** The statement whose messages arrive. */
  #at = 0;

  constructor(statements: readonly Statement[]) {
    this.statements = statements;
    this.#values = statements.map(({ values }) => values.map((value) => prepareValue(value)));
  }

  /**
   * Asks for the columns only once for each connection: PostgreSQL would write them, and the driver parse them, for each query. A prepared
   * statement never gets other columns; after a change of its tables, it fails.
   */
  submit(connection: pg.Connection): void {
    this.#prepared = preparedOn.get(connection) ?? new Map();
    preparedOn.set(connection, this.#prepared);
    connection.stream.cork();
    closeUnused(connection, this.#prepared);
    for (const [at, statement] of this.statements.entries()) {
      const name = preparedName(statement);
      const columns = this.#prepared.get(name);
      this.#results.push({ columns: columns ?? { fields: [], isHex: [] }, parts: [] });
      if (columns) moveToEnd(this.#prepared, name, columns);
      else prepare(connection, name, statement);
      connection.bind({ statement: name, values: this.#values[at] as string[] }, false);
      connection.execute(null, false);
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    const isHex = fields.map(({ dataTypeID }) => dataTypeID === pg.types.builtins.BYTEA);
    this.#result.columns = { fields, isHex };
  }

  handleRows(rows: Buffer): void {
    const { columns, parts } = this.#result;
    parts.push(latin1Of(rows, columns.isHex));
  }

  handleCommandComplete(): void {
    moveToEnd(this.#prepared, preparedName(this.#statement), this.#result.columns);
    this.#at++;
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#results);
  }

  get #statement(): Statement {
    return this.statements[this.#at] as Statement;
  }

  get #result(): Result {
    return this.#results[this.#at] as Result;
  }
}

function moveToEnd<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
}

function closeUnused(connection: pg.Connection, all: Map<string, Columns>): void {
  for (const name of all.keys()) {
    if (all.size <= MOST_PREPARED) return;
    all.delete(name);
    connection.close({ type: "S", name }, false);
  }
}

/** The name is made free first: a statement that was cancelled may be prepared although it has not answered. */
function prepare(connection: pg.Connection, name: string, { text, partition }: Statement): void {
  connection.close({ type: "S", name }, false);
  if (partition === null) connection.parse({ name, text, types: [] }, false);
  else connection.parse({ name, text: textFor(partition, text), types: [String(pg.types.builtins.INT8)] }, false);
  connection.describe({ type: "S", name }, false);
}

/**
 * The text of a statement for one chain or network. A literal between quotes gets its type from where it is, as a parameter does. PostgreSQL
 * then plans the tables of this partition alone, and keeps the plan, however many partitions there are.
 */
const textFor = (partition: string, text: string): string => text.replaceAll(/\$1(?!\d)/g, `'${partition}'`);

/**
 * Runs statements in their order on any connection of the pool, as a part of this work; see `queryCancellably`. They are one write, and
 * PostgreSQL runs them in one transaction.
 */
export function queryTexts(pool: pg.Pool, statements: readonly Statement[], work: Work): Promise<TextRows[]> {
  return queryCancellably<TextRows[]>(
    pool,
    (client, done) => {
      const query = new TextQuery(statements);
      query.callback = done;
      client.query(query);
    },
    work,
  );
}

/** How long the connection that cancels statements stays open without use. */
const CANCEL_IDLE_MS = 1_000;

/** The pools from which statements of another pool are cancelled. */
const cancelPools = new WeakMap<pg.Pool, pg.Pool>();

/**
 * Opens a connection of its own, when one is needed, for cancelling statements of the pool: statements are cancelled most when all
 * connections of the pool are in use. Dispose it with the pool.
 */
export function enableCancelling(pool: pg.Pool): AsyncDisposable {
  const { application_name, connectionTimeoutMillis, query_timeout } = pool.options;
  const own = createPool(urlOf(pool), {
    max: 1,
    application_name,
    connectionTimeoutMillis,
    query_timeout,
    idleTimeoutMillis: CANCEL_IDLE_MS,
  });
  // A lost connection is replaced when it is needed again.
  own.on("error", () => {});
  cancelPools.set(pool, own);
  return { [Symbol.asyncDispose]: () => own.end() };
}

/** Sends a statement over a connection, and calls `done` with its result or its error. */
export type Send<Result> = (client: pg.PoolClient, done: Done<Result>) => void;

type Done<Result> = (error: Error | null | undefined, result?: Result) => void;

/**
 * Runs a statement, and cancels it in PostgreSQL when the work is cancelled. Rejects with the work's reason then. A statement whose work is
 * cancelled before it has a connection is not sent.
 *
 * It uses callbacks, as `pool.query` does: promises would take longer than all the rest of it.
 */
export function queryCancellably<Result extends object>(
  pool: pg.Pool,
  send: Send<Result>,
  work: Work,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    if (work.reason) return reject(work.reason);
    pool.connect((error, client) => {
      if (!client) return reject(work.reason ?? error);
      if (!work.reason) return runOn(client, { pool, send, work, resolve, reject });
      // The pool calls the next waiting function before `release` returns, so thousands of cancelled ones would use up the stack.
      queueMicrotask(() => client.release());
      reject(work.reason);
    });
  });
}

interface Query<Result> {
  readonly pool: pg.Pool;
  readonly send: Send<Result>;
  readonly work: Work;
  resolve(result: Result): void;
  reject(error: Error): void;
}

function runOn<Result extends object>(
  client: pg.PoolClient,
  { pool, send, work, resolve, reject }: Query<Result>,
): void {
  let isOver = false;
  let cancelling: Promise<unknown> | null = null;
  const cancel = () => {
    cancelling = cancelStatement(pool, client).catch(() => {});
  };
  const end: Done<Result> = (error, result) => {
    if (isOver) return;
    isOver = true;
    client.removeListener("error", end);
    work.onCancel.delete(cancel);
    const { reason } = work;
    // A connection is used again after a cancelled statement. Other errors may mean that it, or what it has prepared, is not usable.
    const unusable = error && !(reason && isCancelled(error)) ? error : undefined;
    // The connection's next statement must not be cancelled instead.
    if (cancelling) void cancelling.then(() => client.release(unusable));
    else client.release(unusable);
    if (result) resolve(result);
    else reject(reason ?? (error as Error));
  };
  client.once("error", end);
  work.onCancel.add(cancel);
  try {
    send(client, end);
  } catch (error) {
    end(error as Error);
  }
}

/** PostgreSQL cancels the statement that the connection runs now, if any. */
function cancelStatement(pool: pg.Pool, client: pg.PoolClient): Promise<unknown> {
  const { processID } = client as pg.PoolClient & { readonly processID: number };
  return (cancelPools.get(pool) ?? pool).query("SELECT pg_cancel_backend($1::int)", [processID]);
}

/** PostgreSQL's code for a cancelled statement. */
const QUERY_CANCELED = "57014";

function isCancelled(error: Error): boolean {
  return errorCode(error) === QUERY_CANCELED;
}
