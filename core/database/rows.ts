import pg from "pg";

/** What a message has before its content, and before the first column if it is the message of a row. */
const CODE_BYTES = 1;
const LENGTH_BYTES = 4;
const HEADER_BYTES = CODE_BYTES + LENGTH_BYTES;
const COUNT_BYTES = 2;
const ROW_HEAD_BYTES = HEADER_BYTES + COUNT_BYTES;

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
export function latin1Of(rows: Buffer, isHex: readonly boolean[]): string {
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

/** The columns of a prepared statement. */
export interface Columns {
  readonly fields: readonly pg.FieldDef[];
  /** True for columns of bytes. */
  readonly isHex: readonly boolean[];
}

/** The result of a statement. `parts` are the messages of its rows as texts; columns that are not ASCII must be decoded. */
export interface TextRows {
  readonly columns: Columns;
  readonly parts: readonly string[];
}

const { builtins } = pg.types;

/** JavaScript that converts the text of a column, which is not null, by the type of the column. */
const CONVERSIONS = new Map<number, (text: string) => string>([
  [builtins.BYTEA, (text) => text],
  [builtins.INT4, (text) => `+${text}`],
  [builtins.INT2, (text) => `+${text}`],
  [builtins.FLOAT8, (text) => `Number(${text})`],
  [builtins.BOOL, (text) => `${text} === 't'`],
  [builtins.INT8, (text) => text],
  [builtins.NUMERIC, (text) => text],
]);

/** Column that a statement has besides its rows: see `headOf`. */
export const HEAD_COLUMN = "list.head";

/** The number in the column `HEAD_COLUMN` of the first row, as text; null if there are no rows. The objects of rows do not have it. */
export function headOf({ columns: { fields }, parts }: TextRows): string | null {
  const column = fields.findIndex(({ name }) => name === HEAD_COLUMN);
  const [part = ""] = parts;
  let at = ROW_HEAD_BYTES;
  for (let before = 0; before < column && part !== ""; before++) at += LENGTH_BYTES + Math.max(lengthAt(part, at), 0);
  const length = part === "" ? -1 : lengthAt(part, at);
  return length < 0 ? null : part.slice(at + LENGTH_BYTES, at + LENGTH_BYTES + length);
}

/** Makes objects of the rows of a result. All results must have the same columns. */
export type ToRows<Row> = (result: Pick<TextRows, "parts">) => Row[];

/**
 * Compiles a function that makes an object of each row: `0x` hex for bytes, numbers for INT and FLOAT, text for larger numbers. The object
 * is a literal in generated code, because the driver takes several times as long to set one property after the other.
 */
export function compileRows<Row>({ columns: { fields } }: TextRows): ToRows<Row> {
  const source = `return (part, rows) => { ${sourceOfParts(fields)} };`;
  const addRows = new Function("decoded", "lengthAt", source)(decoded, lengthAt) as (part: string, rows: Row[]) => void;
  return ({ parts }) => {
    const found: Row[] = [];
    for (const part of parts) addRows(part, found);
    return found;
  };
}

/** Statements that add the rows of a text of messages, one after the other. NULL has the length -1. */
function sourceOfParts(fields: Fields): string {
  const columns = fields.map(
    (_, at) => `length = lengthAt(part, at); at += ${LENGTH_BYTES};
      let c${at} = null;
      if (length >= 0) { c${at} = part.slice(at, at + length); at += length; }`,
  );
  return `let length = 0;
    for (let at = 0; at < part.length; ) {
      at += ${ROW_HEAD_BYTES};
      ${columns.join("\n")}
      rows.push(${literalOf(fields)});
    }`;
}

type Fields = TextRows["columns"]["fields"];

function literalOf(fields: Fields): string {
  const members = fields.flatMap(({ name, dataTypeID }, at) => {
    if (name === HEAD_COLUMN) return [];
    const text = `c${at}`;
    const value = CONVERSIONS.get(dataTypeID)?.(text) ?? `decoded(${text})`;
    return [`${JSON.stringify(name)}: ${value === text ? text : `${text} === null ? null : ${value}`}`];
  });
  return `({ ${members.join(", ")} })`;
}

/** The length in four characters, each of which is a byte. Negative for NULL. */
function lengthAt(part: string, at: number): number {
  return (
    (part.charCodeAt(at) << 24) |
    (part.charCodeAt(at + 1) << 16) |
    (part.charCodeAt(at + 2) << 8) |
    part.charCodeAt(at + 3)
  );
}

const NOT_ASCII = /[\x80-\xff]/;

/** The text of UTF-8 that has a character for each byte. */
function decoded(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text, "latin1").toString() : text;
}
