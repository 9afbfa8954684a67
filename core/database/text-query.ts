import { EventEmitter } from "node:events";
import pg from "pg";
import type { Work } from "../work/work.ts";
import { queryCancellably } from "./cancellable-query.ts";

/** What a message has before its content, and before the first column if it is the message of a row. */
const CODE_BYTES = 1;
export const LENGTH_BYTES = 4;
const HEADER_BYTES = CODE_BYTES + LENGTH_BYTES;
const COUNT_BYTES = 2;
export const ROW_HEAD_BYTES = HEADER_BYTES + COUNT_BYTES;

const DATA_ROW = 0x44;
const ZERO = 0x30;

/**
 * Rows are passed on together up to about this length. A column's text that is kept for long keeps the text of all rows that were
 * passed on with it.
 */
const MAX_RUN_BYTES = 16_384;

type OnBytes = (bytes: Buffer) => void;

/** Splits the bytes of a connection into rows and other messages, which are passed on in the order in which they arrive. */
export function createRowReader(onRows: OnBytes, onOther: OnBytes): OnBytes {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  /** Length that the waiting bytes must have before a message is complete. */
  let needed = 0;
  return (chunk) => {
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes < needed) return;
    const bytes = waiting.length === 1 ? chunk : Buffer.concat(waiting, waitingBytes);
    const { end, next } = splitMessages(bytes, onRows, onOther);
    waiting = end < bytes.length ? [bytes.subarray(end)] : [];
    waitingBytes = bytes.length - end;
    needed = next;
  };
}

/** Returns where the last complete message ends, and the length of the message that begins there. */
function splitMessages(bytes: Buffer, onRows: OnBytes, onOther: OnBytes) {
  let end = 0;
  /** Where the run of messages of the same kind begins. */
  let run = 0;
  let isRows = false;
  let next = HEADER_BYTES;
  const pass = (): void => {
    if (run < end) (isRows ? onRows : onOther)(bytes.subarray(run, end));
    run = end;
  };
  while (end + HEADER_BYTES <= bytes.length) {
    next = CODE_BYTES + bytes.readUInt32BE(end + CODE_BYTES);
    if (end + next > bytes.length) break;
    const isRow = bytes[end] === DATA_ROW;
    if (isRow !== isRows || (isRow && end - run > MAX_RUN_BYTES)) pass();
    isRows = isRow;
    end += next;
    next = HEADER_BYTES;
  }
  pass();
  return { end, next };
}

/**
 * Messages of rows as a text with a character for each byte. Columns of bytes begin with `0x` in it, where PostgreSQL writes `\x`. One text
 * of many rows is decoded in one call, and the garbage collector copies it many times as fast as the texts of their columns.
 */
function latin1Of(rows: Buffer, isHex: readonly boolean[]): string {
  // Changes the messages themselves: a text of its own for each column would be more garbage than all other parts of a row.
  if (isHex.includes(true)) {
    for (let at = 0; at < rows.length; at += CODE_BYTES + rows.readUInt32BE(at + CODE_BYTES)) {
      let column = at + ROW_HEAD_BYTES;
      for (const isBytes of isHex) {
        const length = rows.readInt32BE(column);
        column += LENGTH_BYTES;
        if (isBytes && length > 0) rows[column] = ZERO;
        // NULL has the length -1.
        column += Math.max(length, 0);
      }
    }
  }
  return rows.toString("latin1");
}

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

/** A statement that each connection prepares once, and its values. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

interface Columns {
  /** The text of their statement. */
  readonly text: string;
  readonly fields: readonly pg.FieldDef[];
  /** True for columns of bytes. */
  readonly isHex: readonly boolean[];
}

/** The result of a statement. `parts` are the messages of its rows as texts; columns that are not ASCII must be decoded. */
export interface TextRows {
  readonly columns: Columns;
  readonly parts: readonly string[];
}

/** The columns of the statements that a connection has prepared, by name. */
const preparedOn = new WeakMap<pg.Connection, Map<string, Columns>>();

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
    for (const [at, { name, text }] of this.statements.entries()) {
      const known = this.#prepared.get(name);
      const columns = known?.text === text ? known : undefined;
      this.#results.push({ columns: columns ?? { text, fields: [], isHex: [] }, parts: [] });
      if (!columns) prepare(connection, name, text);
      connection.bind({ statement: name, values: this.#values[at] as string[] }, false);
      connection.execute(null, false);
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    const isHex = fields.map(({ dataTypeID }) => dataTypeID === pg.types.builtins.BYTEA);
    this.#result.columns = { ...this.#result.columns, fields, isHex };
  }

  handleRows(rows: Buffer): void {
    const { columns, parts } = this.#result;
    parts.push(latin1Of(rows, columns.isHex));
  }

  handleCommandComplete(): void {
    this.#prepared.set(this.#statement.name, this.#result.columns);
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

/** The name is made free first: a statement that was cancelled may be prepared although it has not answered. */
function prepare(connection: pg.Connection, name: string, text: string): void {
  connection.close({ type: "S", name }, false);
  connection.parse({ name, text, types: [] }, false);
  connection.describe({ type: "S", name }, false);
}

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
