import { EventEmitter } from "node:events";
import type { Readable } from "node:stream";
import pg from "pg";

/** Code of the message with a row, and the lengths of codes, lengths and numbers of columns in the protocol of PostgreSQL. */
const DATA_ROW = 0x44;
const CODE_BYTES = 1;
const LENGTH_BYTES = 4;
const COUNT_BYTES = 2;
const HEADER_BYTES = CODE_BYTES + LENGTH_BYTES;

const ZERO = 0x30;

/** A row as PostgreSQL sends it: the texts of its columns. */
export type Texts = readonly (string | null)[];

/** The message of a row. Its columns are decoded when they are read. */
export class RowMessage {
  readonly name = "dataRow";
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #end: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
  }

  /** The columns in UTF-8, as the driver reads them. */
  get fields(): Texts {
    const bytes = this.#bytes;
    return this.#columns((from, to) => bytes.toString("utf8", from, to));
  }

  /**
   * The columns with a character for each byte. Only columns of ASCII are right. It is several times as fast, because the row is decoded
   * in one call. `isHex` is true for columns of bytes: their texts begin with `0x` here, where PostgreSQL writes `\x`.
   */
  latin1(isHex: readonly boolean[]): Texts {
    this.#writeHex(isHex);
    const start = this.#start + COUNT_BYTES;
    const row = this.#bytes.toString("latin1", start, this.#end);
    return this.#columns((from, to) => row.slice(from - start, to - start));
  }

  /** Changes the message itself: a text of its own for each column would be more garbage than all other parts of a row. */
  #writeHex(isHex: readonly boolean[]): void {
    const bytes = this.#bytes;
    let at = this.#start + COUNT_BYTES;
    for (let i = 0; i < isHex.length; i++) {
      const length = bytes.readInt32BE(at);
      at += LENGTH_BYTES;
      if (length <= 0) continue;
      if (isHex[i]) bytes[at] = ZERO;
      at += length;
    }
  }

  #columns(decode: (from: number, to: number) => string): Texts {
    const bytes = this.#bytes;
    const columns = new Array<string | null>(bytes.readInt16BE(this.#start));
    let at = this.#start + COUNT_BYTES;
    for (let i = 0; i < columns.length; i++) {
      const length = bytes.readInt32BE(at);
      at += LENGTH_BYTES;
      // NULL has the length -1.
      columns[i] = length < 0 ? null : decode(at, at + length);
      if (length > 0) at += length;
    }
    return columns;
  }
}

/** Splits the bytes of a connection into rows and other messages, which are passed on in the order in which they arrive. */
export function createRowReader(
  onRow: (row: RowMessage) => void,
  onOther: (bytes: Buffer) => void,
): (chunk: Buffer) => void {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  /** Length that the waiting bytes must have before a message is complete. */
  let needed = 0;
  return (chunk) => {
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes < needed) return;
    const bytes = waiting.length === 1 ? chunk : Buffer.concat(waiting, waitingBytes);
    const { end, next } = splitMessages(bytes, onRow, onOther);
    waiting = end < bytes.length ? [bytes.subarray(end)] : [];
    waitingBytes = bytes.length - end;
    needed = next;
  };
}

/** Returns where the last complete message ends, and the length of the message that begins there. */
function splitMessages(bytes: Buffer, onRow: (row: RowMessage) => void, onOther: (bytes: Buffer) => void) {
  let start = 0;
  let others = 0;
  let next = HEADER_BYTES;
  while (start + HEADER_BYTES <= bytes.length) {
    next = CODE_BYTES + bytes.readUInt32BE(start + CODE_BYTES);
    const end = start + next;
    if (end > bytes.length) break;
    next = HEADER_BYTES;
    if (bytes[start] === DATA_ROW) {
      if (others < start) onOther(bytes.subarray(others, start));
      onRow(new RowMessage(bytes, start + HEADER_BYTES, end));
      others = end;
    }
    start = end;
  }
  if (others < start) onOther(bytes.subarray(others, start));
  return { end: start, next };
}

/** What the driver's connection has, of which it declares no types. */
interface DriverConnection extends EventEmitter {
  attachListeners(stream: Readable | EventEmitter): void;
}

/** A client of the driver that decodes rows only when a query reads them. All other messages are parsed by the driver. */
export class TextClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { readonly connection: DriverConnection };
    const attachListeners = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => {
      const others = new EventEmitter();
      attachListeners(others);
      const read = createRowReader(
        (row) => connection.emit(row.name, row),
        (bytes) => others.emit("data", bytes),
      );
      stream.on("data", read);
      stream.once("end", () => others.emit("end"));
    };
  }
}
