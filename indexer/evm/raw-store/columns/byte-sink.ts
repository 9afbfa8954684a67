const FIRST_BYTES = 1 << 12;

/** Values of hex digits by character code. */
const DIGITS = new Uint8Array(128);
for (let value = 0; value < 16; value++) DIGITS[value.toString(16).charCodeAt(0)] = value;

/** Bytes that are appended one after the other. The buffer doubles when it is full. */
export class ByteSink {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The appended bytes, valid until the next change. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Appends the bytes of the lower-case hex digits from a position of a text. An odd number of digits gets a zero in front. */
  appendHex(text: string, from: number): void {
    const digits = text.length - from;
    this.#reserve((digits + 1) >> 1);
    const bytes = this.#bytes;
    let at = this.#length;
    let next = from;
    if (digits % 2 === 1) bytes[at++] = DIGITS[text.charCodeAt(next++)] as number;
    for (; next < text.length; next += 2)
      bytes[at++] = ((DIGITS[text.charCodeAt(next)] as number) << 4) | (DIGITS[text.charCodeAt(next + 1)] as number);
    this.#length = at;
  }

  append(bytes: ArrayLike<number>): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
    larger.set(this.bytes);
    this.#bytes = larger;
  }
}
