/** In the protocol of PostgreSQL: Execute of the portal without a name, with all rows. */
const EXECUTE = Buffer.from("E\0\0\0\x09\0\0\0\0\0", "latin1");
const SYNC = Buffer.from("S\0\0\0\x04", "latin1");
/** All columns of the result are texts. */
const RESULT_FORMATS = Buffer.alloc(2);
const AFTER_VALUES = Buffer.concat([RESULT_FORMATS, EXECUTE]);
const LENGTH_BYTES = 4;
const COUNT_BYTES = 2;
const NULL_LENGTH = -1;
/** Largest number of bytes of a UTF-16 code unit in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

/** Messages are made one after the other, without a pause, so all of them use this buffer. */
const buffer = Buffer.allocUnsafeSlow(1 << 16);

/** By statement: the code of Bind, its length, which is not known yet, the portal without a name, the statement, values as texts. */
const heads = new Map<string, Buffer>();

function headOf(statement: string): Buffer {
  const known = heads.get(statement);
  if (known) return known;
  const head = Buffer.from(`B\0\0\0\0\0${statement}\0\0\0`);
  heads.set(statement, head);
  return head;
}

/** A statement that the connection has prepared, and its values. */
export interface Execution {
  readonly name: string;
  readonly values: readonly unknown[];
}

/**
 * The messages Bind and Execute of each prepared statement, and one Sync after the last, in one piece: the driver makes and writes them one by
 * one. PostgreSQL answers all of them together. Null if only the driver can convert a value, or if the values are longer than those of
 * nearly all statements.
 */
export function executeMessages(executions: readonly Execution[]): Buffer | null {
  let end = 0;
  for (const execution of executions) {
    end = writeExecution(execution, end);
    if (end < 0) return null;
  }
  end += SYNC.copy(buffer, end);
  return Buffer.from(buffer.subarray(0, end));
}

/** Writes the messages of a statement, and returns where they end; negative if they cannot be written. */
function writeExecution({ name, values }: Execution, start: number): number {
  const head = headOf(name);
  if (start + head.length + COUNT_BYTES > buffer.length) return -1;
  head.copy(buffer, start);
  let end = buffer.writeUInt16BE(values.length, start + head.length);
  for (const value of values) {
    const text = textOf(value);
    if (text === undefined) return -1;
    const most = LENGTH_BYTES + (text?.length ?? 0) * MAX_BYTES_PER_UNIT;
    if (end + most + AFTER_VALUES.length + SYNC.length > buffer.length) return -1;
    const length = text === null ? NULL_LENGTH : buffer.write(text, end + LENGTH_BYTES);
    end = buffer.writeInt32BE(length, end) + Math.max(0, length);
  }
  if (end + AFTER_VALUES.length + SYNC.length > buffer.length) return -1;
  // The length of Bind does not include its code.
  buffer.writeInt32BE(end + RESULT_FORMATS.length - start - 1, start + 1);
  return end + AFTER_VALUES.copy(buffer, end);
}

/** Undefined for values that the driver must convert. */
function textOf(value: unknown): string | null | undefined {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return null;
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  return Array.isArray(value) ? arrayText(value) : undefined;
}

/** The text of an array of one dimension. */
function arrayText(items: readonly unknown[]): string | undefined {
  const texts: string[] = [];
  for (const item of items) {
    const text = Array.isArray(item) ? undefined : textOf(item);
    if (text === undefined) return undefined;
    texts.push(text === null ? "NULL" : quoted(text));
  }
  return `{${texts.join()}}`;
}

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
