import { EventEmitter } from "node:events";
import type { Readable } from "node:stream";
import pg from "pg";

/** Code of the message with a row, and the lengths of codes, lengths and numbers of columns in the protocol of PostgreSQL. */
const DATA_ROW = 0x44;
const CODE_BYTES = 1;
export const LENGTH_BYTES = 4;
const COUNT_BYTES = 2;
const HEADER_BYTES = CODE_BYTES + LENGTH_BYTES;
/** What a message has before the first column of its row. */
export const ROW_HEAD_BYTES = HEADER_BYTES + COUNT_BYTES;

const ZERO = 0x30;

/** A row as PostgreSQL sends it: the texts of its columns. */
export type Texts = readonly (string | null)[];

/** The message of a row, as the driver's own queries read it. */
export class RowMessage {
  readonly name = "dataRow";
  readonly #bytes: Buffer;
  readonly #start: number;

  /** `start` is where the message begins. */
  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes;
    this.#start = start;
  }

  /** The columns in UTF-8. */
  get fields(): Texts {
    const bytes = this.#bytes;
    const columns = new Array<string | null>(bytes.readInt16BE(this.#start + HEADER_BYTES));
    let at = this.#start + ROW_HEAD_BYTES;
    for (let i = 0; i < columns.length; i++) {
      const length = bytes.readInt32BE(at);
      at += LENGTH_BYTES;
      // NULL has the length -1.
      columns[i] = length < 0 ? null : bytes.toString("utf8", at, at + length);
      if (length > 0) at += length;
    }
    return columns;
  }
}

/** Messages of rows that follow one another in the bytes of a connection. */
export class RowMessages {
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #end: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
  }

  *each(): Generator<RowMessage> {
    for (let at = this.#start; at < this.#end; at = this.#next(at)) yield new RowMessage(this.#bytes, at);
  }

  #next(start: number): number {
    return start + CODE_BYTES + this.#bytes.readUInt32BE(start + CODE_BYTES);
  }

  /**
   * The messages as a text with a character for each byte. `isHex` is true for columns of bytes: they begin with `0x` here, where
   * PostgreSQL writes `\x`. One text of many rows is decoded in one call, and the garbage collector copies it many times as fast as
   * the texts of their columns.
   */
  latin1(isHex: readonly boolean[]): string {
    if (isHex.includes(true)) {
      for (let at = this.#start; at < this.#end; at = this.#next(at)) this.#writeHex(at + ROW_HEAD_BYTES, isHex);
    }
    return this.#bytes.toString("latin1", this.#start, this.#end);
  }

  /** Changes the messages themselves: a text of its own for each column would be more garbage than all other parts of a row. */
  #writeHex(start: number, isHex: readonly boolean[]): void {
    const bytes = this.#bytes;
    let at = start;
    for (let i = 0; i < isHex.length; i++) {
      const length = bytes.readInt32BE(at);
      at += LENGTH_BYTES;
      if (length <= 0) continue;
      if (isHex[i]) bytes[at] = ZERO;
      at += length;
    }
  }
}

type OnRows = (rows: RowMessages) => void;
type OnOther = (bytes: Buffer) => void;

/** Splits the bytes of a connection into rows and other messages, which are passed on in the order in which they arrive. */
export function createRowReader(onRows: OnRows, onOther: OnOther): (chunk: Buffer) => void {
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

/**
 * Rows are passed on together up to about this length. A column's text that is kept for long keeps the text of all rows that were
 * passed on with it.
 */
const MAX_RUN_BYTES = 16_384;

/** Returns where the last complete message ends, and the length of the message that begins there. */
function splitMessages(bytes: Buffer, onRows: OnRows, onOther: OnOther) {
  let start = 0;
  /** Where the run of messages of the same kind begins. */
  let run = 0;
  let isRows = false;
  let next = HEADER_BYTES;
  const pass = (): void => {
    if (run === start) return;
    if (isRows) onRows(new RowMessages(bytes, run, start));
    else onOther(bytes.subarray(run, start));
    run = start;
  };
  while (start + HEADER_BYTES <= bytes.length) {
    next = CODE_BYTES + bytes.readUInt32BE(start + CODE_BYTES);
    if (start + next > bytes.length) break;
    const isRow = bytes[start] === DATA_ROW;
    if (isRow !== isRows || (isRow && start - run > MAX_RUN_BYTES)) pass();
    isRows = isRow;
    start += next;
    next = HEADER_BYTES;
  }
  pass();
  return { end: start, next };
}

/** What the driver's connection has, of which it declares no types. */
interface DriverConnection extends EventEmitter {
  attachListeners(stream: Readable | EventEmitter): void;
}

/** A query that takes the rows of a message and those that follow it together. */
export interface TakesRows {
  handleRows(rows: RowMessages): void;
}

/** What the driver's client has, of which it declares no types. */
interface DriverClient {
  readonly connection: DriverConnection;
  _getActiveQuery(): Partial<TakesRows> | null;
}

/** A client of the driver that decodes rows only when a query reads them. All other messages are parsed by the driver. */
export class TextClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const client = this as unknown as DriverClient;
    const { connection } = client;
    const attachListeners = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => {
      const others = new EventEmitter();
      attachListeners(others);
      const read = createRowReader(
        (rows) => {
          const query = client._getActiveQuery();
          if (query?.handleRows) query.handleRows(rows);
          else for (const row of rows.each()) connection.emit(row.name, row);
        },
        (bytes) => others.emit("data", bytes),
      );
      stream.on("data", read);
      stream.once("end", () => others.emit("end"));
    };
  }
}
