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

interface DriverQuery {
  submit(connection: Connection): Error | null;
}

/** Prepares a statement that the connection has not prepared yet, and executes it. */
const submitByDriver = (pg.Query.prototype as unknown as DriverQuery).submit;

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
  callback: Callback | undefined;
  #columns = NO_COLUMNS;
  /** Those of all statements of the connection. */
  #prepared: PreparedByName | undefined;
  readonly #parts: string[] = [];
  readonly #rows: Texts[] = [];

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
    const known = this.#prepared.get(this.name);
    const messages = known?.text === this.text ? executeMessages(this.name, this.values) : null;
    if (!known || !messages) return submitByDriver.call(this, connection);
    this.#columns = known.columns;
    connection._send(messages);
    return null;
  }

  handleRowDescription({ fields }: Message<pg.FieldDef>): void {
    this.#columns = { fields, isHex: fields.map(({ dataTypeID }) => dataTypeID === pg.types.builtins.BYTEA) };
    this.#prepared?.set(this.name, { text: this.text, columns: this.#columns });
  }

  handleRows(rows: RowMessages): void {
    this.#parts.push(rows.latin1(this.#columns.isHex));
  }

  handleDataRow({ fields }: Message<string | null>): void {
    this.#rows.push(fields);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback?.(null, { fields: this.#columns.fields, parts: this.#parts, rows: this.#rows });
  }
}

// The constructor of the driver's class is not called: for a small statement, its copy of the settings takes longer than all other steps.
Object.setPrototypeOf(TextQuery.prototype, pg.Query.prototype);

type Callback = (error: Error | null, result?: TextRows) => void;

/** A client. Its declared type has no callback for a query that is an object. */
interface Client {
  query(query: TextQuery, values: undefined, callback: Callback): unknown;
}

/** Runs a statement on any connection of a pool, as a part of this work; see `queryCancellably`. */
export function queryTexts(pool: pg.Pool, statement: Statement, work: Work | undefined): Promise<TextRows> {
  return queryCancellably<TextRows>(
    pool,
    (client, done) => (client as unknown as Client).query(new TextQuery(statement), undefined, done),
    work,
  );
}
