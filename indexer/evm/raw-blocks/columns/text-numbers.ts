import { KNOWN_TEXTS } from "./dictionary.ts";

const FIRST_SLOTS = 1 << 10;
/**
 * Slots in which a text is searched. If all have other texts, the text gets a new number each time. That makes the stored bytes longer, and
 * keeps a node that returns texts of the same hash from making the search slow.
 */
const MAX_PROBES = 16;

const ZERO = 0x30;
const FNV_PRIME = 0x01000193;
/** Mixes the bits of a hash, so that its lowest ones depend on all characters. */
const MIX = 0x2c1b3c6d;
/** Characters of a word of 32 bytes. */
const WORD_LENGTH = 66;

/**
 * Numbers of texts in the order in which they occur; `KNOWN_TEXTS` have the first ones. A `Map` would read all characters of each text for its
 * hash. Most texts are hashes and addresses, of which some characters are enough.
 */
export class TextNumbers {
  #texts: string[] = [];
  /** For each slot 1 more than the number of its text, or 0. A text is in one of the slots from the lowest bits of its hash on. */
  #slots = new Int32Array(FIRST_SLOTS);
  #hashes = new Int32Array(FIRST_SLOTS);

  constructor() {
    this.clear();
  }

  get size(): number {
    return this.#texts.length;
  }

  clear(): void {
    this.#texts = [];
    if (this.#slots.length > FIRST_SLOTS) this.#allocate(FIRST_SLOTS);
    else this.#slots.fill(0);
    for (const text of KNOWN_TEXTS) this.numberOf(text);
  }

  /** The number of a text of at least ten characters. A new text gets the next number, which was `size` before. */
  numberOf(text: string): number {
    const hash = hashOf(text);
    const slot = this.#slotOf(text, hash);
    const entry = this.#slots[slot] ?? 0;
    if (entry > 0) return entry - 1;
    const number = this.#texts.length;
    this.#place(slot, number, hash);
    this.#texts.push(text);
    if (2 * this.#texts.length > this.#slots.length) this.#grow();
    return number;
  }

  /** The slot that has a text, or else the free one for it; -1 if there is neither among those that are searched. */
  #slotOf(text: string, hash: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const slot = (hash + probe) & mask;
      const entry = slots[slot] as number;
      if (entry === 0 || (this.#hashes[slot] === hash && this.#texts[entry - 1] === text)) return slot;
    }
    return -1;
  }

  /** Does nothing without a slot. */
  #place(slot: number, number: number, hash: number): void {
    if (slot < 0) return;
    this.#slots[slot] = number + 1;
    this.#hashes[slot] = hash;
  }

  #allocate(slots: number): void {
    this.#slots = new Int32Array(slots);
    this.#hashes = new Int32Array(slots);
  }

  #grow(): void {
    this.#allocate(2 * this.#slots.length);
    for (const [number, text] of this.#texts.entries()) {
      const hash = hashOf(text);
      const slot = this.#slotOf(text, hash);
      // A text that was not found before may have several numbers: the first one stays.
      if (this.#slots[slot] === 0) this.#place(slot, number, hash);
    }
  }
}

/** A hash of some characters at the end and the start. Of more characters if the text ends with zeros, such as a name in a word of 32 bytes. */
function hashOf(text: string): number {
  const { length } = text;
  let hash = length;
  if (text.charCodeAt(length - 1) === ZERO && text.charCodeAt(length - 8) === ZERO)
    for (let i = 2; i < length && i < WORD_LENGTH; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  hash = Math.imul(hash ^ text.charCodeAt(length - 1), FNV_PRIME);
  hash = Math.imul(hash ^ text.charCodeAt(length - 2), FNV_PRIME);
  hash = Math.imul(hash ^ text.charCodeAt(length - 3), FNV_PRIME);
  hash = Math.imul(hash ^ text.charCodeAt(length - 5), FNV_PRIME);
  hash = Math.imul(hash ^ text.charCodeAt(length - 8), FNV_PRIME);
  hash = Math.imul(hash ^ text.charCodeAt(2), FNV_PRIME);
  hash = Math.imul(hash ^ text.charCodeAt(3), FNV_PRIME);
  hash = Math.imul(hash ^ text.charCodeAt(5), FNV_PRIME);
  if (length > 24) {
    hash = Math.imul(hash ^ text.charCodeAt(length - 11), FNV_PRIME);
    hash = Math.imul(hash ^ text.charCodeAt(length - 14), FNV_PRIME);
    hash = Math.imul(hash ^ text.charCodeAt(length - 17), FNV_PRIME);
    hash = Math.imul(hash ^ text.charCodeAt(length - 21), FNV_PRIME);
  }
  hash = Math.imul(hash ^ (hash >>> 15), MIX);
  return hash ^ (hash >>> 12);
}
