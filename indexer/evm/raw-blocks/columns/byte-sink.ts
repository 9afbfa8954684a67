import { writeLowerCaseHex } from "../../../shared/lower-case-hex.ts";

const FIRST_BYTES = 1 << 12;
/** A larger buffer is not kept for the next use. */
const MAX_KEPT_BYTES = 1 << 20;

/** Of a number that JavaScript holds exactly. */
const MAX_VARINT_BYTES = 8;

/** Bytes that are appended one after the other. The buffer doubles when it is full. */
export class ByteSink {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  /** The appended bytes, valid until the next change. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > MAX_KEPT_BYTES) this.#bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  }

  /**
   * Appends the bytes of the lower-case hex digits from a position of a text; an odd number of digits gets a zero in front. Returns false
   * and appends nothing if the text has other characters there.
   */
  appendHex(text: string, from: number): boolean {
    const size = (text.length - from + 1) >> 1;
    this.#reserve(size);
    const isHex = writeLowerCaseHex(text, from, this.#bytes, this.#length);
    if (isHex) this.#length += size;
    return isHex;
  }

  /** Appends a number with seven bits in each byte, the lowest first. */
  appendVarint(value: number): void {
    this.#reserve(MAX_VARINT_BYTES);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[this.#length++] = (rest % 0x80) + 0x80;
    this.#bytes[this.#length++] = rest;
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Appends bytes whose values the caller sets before the next change. */
  extend(length: number): Uint8Array {
    this.#reserve(length);
    this.#length += length;
    return this.#bytes.subarray(this.#length - length, this.#length);
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    larger.set(this.bytes);
    this.#bytes = larger;
  }
}
