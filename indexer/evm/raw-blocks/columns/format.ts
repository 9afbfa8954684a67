/**
 * A compact form of JSON values with many objects of the same fields, such as the transactions of a block. The values of a
 * field are stored together, hex is stored as bytes, and a text that occurs again is a reference. ABI-encoded data is stored word
 * by word, so that an address in it is a reference too.
 *
 * The form is a list of parts: the lists of field names, the other texts, the bytes of hex texts, and the codes of each column. A
 * column has the values of one field, or the items of the arrays (or the words of the data) in one column. Columns are
 * numbered in the order in which the values, depth first, need them. The bytes of hashes and addresses are apart, because they
 * cannot be compressed.
 */
export interface Columns {
  readonly compressible: Buffer;
  readonly hashes: Buffer;
}

/** First byte of the codes of a value. Part of the format. */
export const CODE = {
  /** The same text as the previous one of the column. */
  same: 0,
  /** A text that occurred before: the distance of its number from that of the column's previous text. */
  again: 1,
  /** `0x` and an even number of lower-case hex digits: the number of bytes. */
  hex: 2,
  /** The same with an odd number of digits. */
  oddHex: 3,
  text: 4,
  null: 5,
  true: 6,
  false: 7,
  number: 8,
  /** The number of items. */
  array: 9,
  /** The number of the list of field names. */
  object: 10,
  /** An object with the same fields as the previous one of the column. */
  sameFields: 11,
  /** A word of 32 bytes with an address: the address follows as a text. */
  address: 12,
  /** 32 bytes that are among the hashes. */
  hash: 13,
  /** A selector of 4 bytes and words of 32 bytes: the number of words. The selector follows as a text, the words as items. */
  call: 14,
  /** Several words of 32 bytes: their number. The words follow as items. */
  words: 15,
  /** A word of 32 bytes that begins with zeros: the number of the other bytes. */
  number32: 16,
  /** The field is undefined, so JSON does not have it. */
  absent: 17,
  /** 20 bytes that are among the hashes. */
  bytes20: 18,
} as const;

/** Shorter texts are not remembered: a reference would not be shorter. */
export const LEAST_REMEMBERED = 10;
export const WORD_DIGITS = 64;
export const ADDRESS_DIGITS = 40;

/** The names of an object's fields, and the column of each. */
export interface Fields<Column> {
  readonly id: number;
  readonly names: readonly string[];
  readonly columns: readonly Column[];
}
