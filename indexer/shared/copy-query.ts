import pg from "pg";

/** Rows of one table, as `binaryRows` returns them. */
export interface EncodedCopy {
  readonly table: string;
  readonly columns: readonly string[];
  readonly parts: readonly Buffer[];
}

/** Codes of the messages CopyData and CopyDone in the protocol of PostgreSQL. */
const COPY_DATA = 0x64;
const COPY_DONE = Buffer.from("c\0\0\0\x04", "latin1");
const LENGTH_BYTES = 4;
/** What precedes and follows the rows in the binary format: a signature, no flags and no further header; and the end. */
export const BINARY_START = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
export const BINARY_END = Buffer.from([0xff, 0xff]);
/** PostgreSQL reads a message as a whole before it parses the rows. A message ends with the part that reaches this length. */
const MESSAGE_BYTES = 1 << 16;

type Callback = (error?: Error | null) => void;

/** What the driver's connection has, of which it declares no types. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void; write(bytes: Buffer): boolean };
  query(text: string): void;
}

/**
 * A query of several COPYs, whose data is sent together with the statement: PostgreSQL starts each COPY without waiting for this process,
 * whose thread may be busy with other blocks. PostgreSQL ignores the data of COPYs that it does not execute because an earlier one failed.
 * A class of the driver, which takes no others for a connection on which statements do not wait for one another.
 */
class CopyQuery extends pg.Query {
  readonly #copies: readonly EncodedCopy[];

  constructor(copies: readonly EncodedCopy[], done: Callback) {
    super("", done);
    this.#copies = copies;
  }

  override submit = (driver: unknown): void => {
    const connection = driver as Connection;
    const { stream } = connection;
    stream.cork();
    connection.query(this.#copies.map(statementOf).join("; "));
    for (const { parts } of this.#copies) {
      for (const message of messagesOf([BINARY_START, ...parts, BINARY_END])) {
        stream.write(dataHeader(message));
        // The parts are not copied into one buffer.
        for (const part of message) stream.write(part);
      }
      stream.write(COPY_DONE);
    }
    stream.uncork();
  };

  /** The data is sent already. */
  handleCopyInResponse(): void {}
}

const statementOf = ({ table, columns }: EncodedCopy): string =>
  `COPY ${table} (${columns.map((column) => `"${column}"`).join(", ")}) FROM STDIN (FORMAT binary)`;

/** The parts that are sent in one message each. */
function messagesOf(parts: readonly Buffer[]): Buffer[][] {
  const messages: Buffer[][] = [];
  let size = MESSAGE_BYTES;
  for (const part of parts) {
    if (size >= MESSAGE_BYTES) {
      messages.push([]);
      size = 0;
    }
    messages.at(-1)?.push(part);
    size += part.length;
  }
  return messages;
}

/** What precedes the parts in their message. */
function dataHeader(parts: readonly Buffer[]): Buffer {
  const header = Buffer.allocUnsafe(1 + LENGTH_BYTES);
  header[0] = COPY_DATA;
  // The length does not include the code.
  header.writeUInt32BE(
    parts.reduce((length, part) => length + part.length, LENGTH_BYTES),
    1,
  );
  return header;
}

/** Inserts rows of tables, one table after the other. Rejects with the failure of the first COPY that fails. */
export function copyTables(client: pg.Client, copies: readonly EncodedCopy[]): Promise<void> {
  if (copies.length === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    client.query(new CopyQuery(copies, (error) => (error ? reject(error) : resolve())));
  });
}
