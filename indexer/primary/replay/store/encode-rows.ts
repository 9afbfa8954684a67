import { byteArray } from "../../../shared/pg-arrays.ts";
import { type ColumnValues, TABLES, type Table } from "./columns.ts";

/** PostgreSQL's text form of a value, by the type of its column. */
const TEXT_OF: { readonly [Type in keyof ColumnValues]: (value: ColumnValues[Type]) => string } = {
  int: String,
  // PostgreSQL's text cannot hold NUL, and names of chains and assets are arbitrary bytes.
  text: (value) => (value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value),
  bool: String,
  bytes: (value) => `\\x${value}`,
  "bytes[]": byteArray,
  "int[]": (values) => `{${values.join(",")}}`,
};

type Encode = (row: Readonly<Record<string, unknown>>) => (string | null)[];

/** For each table a function that encodes a row: the texts of its columns, without `network_id`. */
export const encoders = Object.fromEntries(
  Object.entries(TABLES).map(([table, columns]) => {
    const parts = Object.entries(columns).map(
      ([name, type]) =>
        [name, TEXT_OF[type.replace("?", "") as keyof ColumnValues] as (value: unknown) => string] as const,
    );
    const encode: Encode = (row) =>
      parts.map(([name, textOf]) => {
        const value = row[name];
        return value === null ? null : textOf(value);
      });
    return [table, encode];
  }),
) as Readonly<Record<Table, Encode>>;
