import pg from "pg";
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
  describe(portal: object): void;
}

type Fields = readonly pg.FieldDef[];

interface Columns {
  readonly fields: Fields;
  /** True for columns of bytes. */
  readonly isHex: readonly boolean[];
}

const NO_COLUMNS: Columns = { fields: [], isHex: [] };

interface Described {
  /** The columns of the statements that the connection has prepared, by name. */
  readonly columns: Map<string, Columns>;
  /** The connection without `describe`. */
  readonly silent: Connection;
}

const described = new WeakMap<Connection, Described>();

function describedOf(connection: Connection): Described {
  const known = described.get(connection);
  if (known) return known;
  const silent = Object.create(connection, { describe: { value() {} } }) as Connection;
  const made: Described = { columns: new Map(), silent };
  described.set(connection, made);
  return made;
}

/** Sends the messages of a query. */
const sendMessages = (pg.Query.prototype as unknown as { prepare(connection: Connection): void }).prepare;

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
  #known: Described["columns"] | undefined;
  readonly #parts: string[] = [];
  readonly #rows: Texts[] = [];

  constructor({ name, text, values }: Statement) {
    this.name = name;
    this.text = text;
    this.values = values;
  }

  /**
   * Asks for the columns only once for each connection: PostgreSQL would write them, and the driver parse them, for each query. A prepared
   * statement never gets other columns; after a change of its tables, it fails.
   */
  prepare(connection: Connection): void {
    const { columns, silent } = describedOf(connection);
    const known = columns.get(this.name);
    this.#known = columns;
    this.#columns = known ?? NO_COLUMNS;
    sendMessages.call(this, known ? silent : connection);
  }

  handleRowDescription({ fields }: Message<pg.FieldDef>): void {
    this.#columns = { fields, isHex: fields.map(({ dataTypeID }) => dataTypeID === pg.types.builtins.BYTEA) };
    this.#known?.set(this.name, this.#columns);
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
