// The client of PostgreSQL escapes each element of an array, which takes longer than the rest of a statement with thousands of them.

/** PostgreSQL's text form of an array of numbers. */
export const numberArray = (numbers: readonly (number | bigint)[]): string => `{${numbers.join(",")}}`;

/** PostgreSQL's text form of an array of byte strings, each in its text form as of `pgBytes`. */
export const byteArray = (bytes: readonly string[]): string => `{${bytes.join(",").replaceAll("\\", "\\\\")}}`;
