import type { ByteSink } from "./byte-sink.ts";

const FIRST_CODES = 1 << 12;
const FIRST_COLUMNS = 1 << 7;
/** Larger lists are not kept for the next use. */
const MAX_KEPT_CODES = 1 << 18;

/** The codes of all columns in one list, in the order in which they were written. Columns with lists of their own take more time and memory. */
export class ColumnCodes {
  #codes = new Uint8Array(FIRST_CODES);
  /** The column of each code. */
  #columns: Int32Array = new Int32Array(FIRST_CODES);
  #count = 0;
  /** The number of codes of each column. */
  #lengths: Int32Array = new Int32Array(FIRST_COLUMNS);
  #columnCount = 0;

  /** Numbers of codes by column. */
  get lengths(): Int32Array {
    return this.#lengths.subarray(0, this.#columnCount);
  }

  clear(): void {
    this.#count = 0;
    this.#columnCount = 0;
    if (this.#codes.length <= MAX_KEPT_CODES) return;
    this.#codes = new Uint8Array(FIRST_CODES);
    this.#columns = new Int32Array(FIRST_CODES);
  }

  /** The id of a new column: ids are consecutive from 0. */
  addColumn(): number {
    if (this.#columnCount === this.#lengths.length) this.#lengths = twiceAsLong(this.#lengths);
    this.#lengths[this.#columnCount] = 0;
    return this.#columnCount++;
  }

  push(column: number, code: number): void {
    if (this.#count === this.#codes.length) this.#grow();
    this.#codes[this.#count] = code;
    this.#columns[this.#count++] = column;
    this.#lengths[column]!++;
  }

  /** A number, with seven bits in each byte, the lowest first. */
  pushVarint(column: number, value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.push(column, (rest % 0x80) + 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.push(column, rest);
  }

  /** Appends the codes of the first column, then those of the second, and so on. */
  appendTo(sink: ByteSink): void {
    const bytes = sink.extend(this.#count);
    const positions = new Int32Array(this.#columnCount);
    for (let column = 1; column < this.#columnCount; column++)
      positions[column] = (positions[column - 1] as number) + (this.#lengths[column - 1] as number);
    for (let i = 0; i < this.#count; i++) bytes[positions[this.#columns[i] as number]!++] = this.#codes[i] as number;
  }

  #grow(): void {
    const codes = new Uint8Array(2 * this.#count);
    codes.set(this.#codes);
    this.#codes = codes;
    this.#columns = twiceAsLong(this.#columns);
  }
}

function twiceAsLong(list: Int32Array): Int32Array {
  const longer = new Int32Array(2 * list.length);
  longer.set(list);
  return longer;
}
