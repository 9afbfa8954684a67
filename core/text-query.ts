import pg from "pg";
import { executeMessages } from "./execute-messages.ts";
import type { RowMessages, TakesRows, Texts } from "./text-connection.ts";
import { queryCancellably } from "./work/cancellable-query.ts";
import type { Work } from "./work/work.ts";

/** The result of a statement. Its rows are in `parts`, or in `rows` if another client than `TextClient` has read them. */
export interface TextRows {
  readonly fields: Fields;
  /** Texts of messages, as `RowMessages.latin1` returns them. Columns that are not ASCII must be decoded. */
  readonly parts: readonly string[];
  readonly rows: readonly Texts[];
}

export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

interface Message<Field> {
  readonly fields: readonly Field[];
}

/** What the driver's connection has, of which it declares no types. */
interface Connection {
  _send(message: Buffer): boolean;
}

type Fields = readonly pg.FieldDef[];

interface Columns {
  readonly fields: Fields;
  /** True for columns of bytes. */
  readonly isHex: readonly boolean[];
}

const NO_COLUMNS: Columns = { fields: [], isHex: [] };

/** A statement that a connection has prepared. */
interface Prepared {
  readonly text: string;
  readonly columns: Columns;
}

type PreparedByName = Map<string, Prepared>;

const preparedOf = new WeakMap<Connection, PreparedByName>();

function preparedOn(connection: Connection): PreparedByName {
  const known = preparedOf.get(connection);
  if (known) return known;
  const made: PreparedByName = new Map();
  preparedOf.set(connection, made);
  return made;
}

/** The columns of a statement; null if the connection has not prepared it. */
function columnsOn(prepared: PreparedByName, { name, text }: Pick<Statement, "name" | "text">): Columns | null {
  const known = prepared.get(name);
  return known?.text === text ? known.columns : null;
}

interface DriverQuery {
  submit(connection: Connection): Error | null;
}

/** Prepares a statement that the connection has not prepared yet, and executes it. */
const submitByDriver = (pg.Query.prototype as unknown as DriverQuery).submit;

/** Collects the rows of a statement. */
class Collector {
  columns = NO_COLUMNS;
  readonly #parts: string[] = [];
  readonly #rows: Texts[] = [];

  addMessages(rows: RowMessages): void {
    this.#parts.push(rows.latin1(this.columns.isHex));
  }

  addRow(row: Texts): void {
    this.#rows.push(row);
  }

  result(): TextRows {
    return { fields: this.columns.fields, parts: this.#parts, rows: this.#rows };
  }
}

/**
 * A prepared statement whose rows stay as they arrive. It has the methods of the driver's query, which sends the statement, except those
 * that read messages: the driver's convert each value by a function, and emit an event for each row.
 */
class TextQuery implements TakesRows {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
  readonly portal = "";
  readonly binary = false;
  /** Set by the driver. */
  callback: Callback<TextRows> | undefined;
  readonly #collector = new Collector();
  /** Those of all statements of the connection. */
  #prepared: PreparedByName | undefined;

  constructor({ name, text, values }: Statement) {
    this.name = name;
    this.text = text;
    this.values = values;
  }

  /**
   * Asks for the columns only once for each connection: PostgreSQL would write them, and the driver parse them, for each query. A prepared
   * statement never gets other columns; after a change of its tables, it fails. When the columns are known, all messages of the query are written
   * together.
   */
  submit(connection: Connection): Error | null {
    this.#prepared = preparedOn(connection);
    const columns = columnsOn(this.#prepared, this);
    const messages = columns ? executeMessages([this]) : null;
    if (!columns || !messages) return submitByDriver.call(this, connection);
    this.#collector.columns = columns;
    connection._send(messages);
    return null;
  }

  handleRowDescription({ fields }: Message<pg.FieldDef>): void {
    const columns = { fields, isHex: fields.map(({ dataTypeID }) => dataTypeID === pg.types.builtins.BYTEA) };
    this.#collector.columns = columns;
    this.#prepared?.set(this.name, { text: this.text, columns });
  }

  handleRows(rows: RowMessages): void {
    this.#collector.addMessages(rows);
  }

  handleDataRow({ fields }: Message<string | null>): void {
    this.#collector.addRow(fields);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback?.(null, this.#collector.result());
  }
}

/** Several statements, all of which the connection has prepared, whose messages are written together. */
class TextQueries implements TakesRows {
  readonly statements: readonly Statement[];
  /** Set by the driver. */
  callback: Callback<TextRows[]> | undefined;
  readonly #messages: Buffer;
  readonly #collectors: readonly Collector[];
  /** The statement whose rows arrive. */
  #at = 0;

  constructor(statements: readonly Statement[], columns: readonly Columns[], messages: Buffer) {
    this.statements = statements;
    this.#messages = messages;
    this.#collectors = columns.map((one) => {
      const collector = new Collector();
      collector.columns = one;
      return collector;
    });
  }

  submit(connection: Connection): null {
    connection._send(this.#messages);
    return null;
  }

  handleRows(rows: RowMessages): void {
    this.#collectors[this.#at]?.addMessages(rows);
  }

  handleDataRow({ fields }: Message<string | null>): void {
    this.#collectors[this.#at]?.addRow(fields);
  }

  handleCommandComplete(): void {
    this.#at++;
  }

  handleReadyForQuery(): void {
    this.callback?.(
      null,
      this.#collectors.map((one) => one.result()),
    );
  }
}

// The constructor of the driver's class is not called: for a small statement, its copy of the settings takes longer than all other steps.
Object.setPrototypeOf(TextQuery.prototype, pg.Query.prototype);
Object.setPrototypeOf(TextQueries.prototype, pg.Query.prototype);

type Callback<Result> = (error: Error | null, result?: Result) => void;

/** A client. Its declared type has no callback for a query that is an object. */
interface Client {
  readonly connection: Connection;
  query(query: TextQuery, values: undefined, callback: Callback<TextRows>): unknown;
  query(query: TextQueries, values: undefined, callback: Callback<TextRows[]>): unknown;
}

/** Runs a statement on any connection of a pool, as a part of this work; see `queryCancellably`. */
export function queryTexts(pool: pg.Pool, statement: Statement, work: Work | undefined): Promise<TextRows> {
  return queryCancellably<TextRows>(
    pool,
    (client, done) => (client as unknown as Client).query(new TextQuery(statement), undefined, done),
    work,
  );
}

/**
 * Runs statements in their order on one connection. When it has prepared all of them, they are one write, and PostgreSQL runs them in one
 * transaction.
 */
export function queryTextsTogether(
  pool: pg.Pool,
  statements: readonly Statement[],
  work: Work | undefined,
): Promise<TextRows[]> {
  return queryCancellably<TextRows[]>(
    pool,
    (pooled, done) => {
      const client = pooled as unknown as Client;
      const prepared = preparedOn(client.connection);
      const columns = statements.map((statement) => columnsOn(prepared, statement));
      const messages = columns.every((one) => one !== null) ? executeMessages(statements) : null;
      if (messages) client.query(new TextQueries(statements, columns as Columns[], messages), undefined, done);
      else queryOneByOne(client, statements, work, done);
    },
    work,
  );
}

/** Sends each statement after the one before it has ended, and none after an error or when the work is cancelled. */
function queryOneByOne(
  client: Client,
  statements: readonly Statement[],
  work: Work | undefined,
  done: Callback<TextRows[]>,
): void {
  const results: TextRows[] = [];
  const sendNext = (): void => {
    const statement = statements[results.length];
    if (work?.reason) done(work.reason);
    else if (statement) client.query(new TextQuery(statement), undefined, onResult);
    else done(null, results);
  };
  const onResult: Callback<TextRows> = (error, result) => {
    if (result) {
      results.push(result);
      sendNext();
    } else done(error);
  };
  sendNext();
}
