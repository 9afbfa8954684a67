/** Parts of this length, in UTF-16 code units, become bytes. */
export const PART_LENGTH = 16_384;
const BUFFER_BYTES = 1 << 20;
/** Largest number of bytes of a UTF-16 code unit in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

/** Texts are written one after the other, without a pause, so all of them use this buffer. */
let buffer: Buffer | null = null;

/**
 * Makes bytes of the parts of a long text while it is written: JavaScript joins a long text of many small ones by walking through all of
 * them in memory, which takes longer than to write them.
 */
export class LongText {
  readonly #full: Buffer[] = [];
  #used = 0;

  /** Adds a part. It must not end within a surrogate pair. */
  add(part: string): void {
    buffer ??= Buffer.allocUnsafeSlow(BUFFER_BYTES);
    const most = part.length * MAX_BYTES_PER_UNIT;
    if (this.#used + most > BUFFER_BYTES) this.#empty(buffer);
    if (most > BUFFER_BYTES) this.#full.push(Buffer.from(part));
    else this.#used += buffer.write(part, this.#used);
  }

  /** The bytes of all parts. */
  bytes(): Buffer {
    if (buffer && this.#used > 0) this.#empty(buffer);
    const [only, ...others] = this.#full;
    return only && others.length === 0 ? only : Buffer.concat(this.#full);
  }

  #empty(from: Buffer): void {
    if (this.#used > 0) this.#full.push(Buffer.from(from.subarray(0, this.#used)));
    this.#used = 0;
  }
}
