// The client of PostgreSQL escapes each element of an array. With thousands of elements, this takes longer than all the rest of
// the statement.

/** PostgreSQL's text form of an array of numbers. */
export const numberArray = (numbers: readonly (number | bigint | null)[]): string =>
  `{${numbers.map((number) => number ?? "NULL").join(",")}}`;

/** PostgreSQL's text form of an array of byte strings, from hex without `0x`. */
export const byteArray = (hex: readonly string[]): string =>
  hex.length === 0 ? "{}" : `{"\\\\x${hex.join('","\\\\x')}"}`;
