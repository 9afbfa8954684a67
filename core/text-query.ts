import pg from "pg";
import { RowMessage, type Texts } from "./text-connection.ts";
import { queryCancellably } from "./work/cancellable-query.ts";
import type { Work } from "./work/work.ts";

export interface TextRows {
  readonly fields: readonly pg.FieldDef[];
  readonly rows: readonly Texts[];
  /** True if the columns have a character for each byte: then columns that are not ASCII must be decoded. */
  readonly isLatin1: boolean;
}

export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

interface Message<Field> {
  readonly fields: readonly Field[];
}

type DataRow = RowMessage | Message<string | null>;

/**
 * A prepared statement whose rows stay as they arrive. It has the methods of the driver's query, which sends the statement, except those
 * that read messages: the driver's convert each value by a function, and emit an event for each row.
 */
class TextQuery {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
  readonly portal = "";
  readonly binary = false;
  /** Set by the driver. */
  callback: Callback | undefined;
  #fields: readonly pg.FieldDef[] = [];
  readonly #rows: Texts[] = [];
  #isLatin1 = false;

  constructor({ name, text, values }: Statement) {
    this.name = name;
    this.text = text;
    this.values = values;
  }

  handleRowDescription({ fields }: Message<pg.FieldDef>): void {
    this.#fields = fields;
  }

  handleDataRow(message: DataRow): void {
    this.#isLatin1 = message instanceof RowMessage;
    this.#rows.push(message instanceof RowMessage ? message.latin1 : message.fields);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback?.(null, { fields: this.#fields, rows: this.#rows, isLatin1: this.#isLatin1 });
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
