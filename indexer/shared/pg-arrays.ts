// The client of PostgreSQL escapes each element of an array. With thousands of elements, this takes longer than all the rest of
// the statement.

/** PostgreSQL's text form of an array of numbers. */
export const numberArray = (numbers: readonly (number | bigint | null)[]): string =>
  `{${numbers.map((number) => number ?? "NULL").join(",")}}`;

/** PostgreSQL's text form of an array of byte strings, each in the text form that `pgBytes` gives. */
export const byteArray = (bytes: readonly string[]): string => `{${bytes.join(",").replaceAll("\\", "\\\\")}}`;
