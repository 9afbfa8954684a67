import { type TableColumn, type TableName, tableColumns } from "../../core/database/table-columns.ts";
import { COLUMNS } from "../../prisma/columns.ts";
import { type BinaryType, type Bytes, binaryRows, type Integer } from "./binary-rows.ts";
import type { EncodedCopy } from "./copy-query.ts";

/** Types of the values of a column. */
interface Values<Int> {
  readonly bigint: Int;
  readonly boolean: boolean;
  readonly bytea: string;
  readonly "bytea[]": readonly string[];
  readonly integer: Int;
  readonly numeric: Int;
  readonly "numeric[]": readonly Int[];
  readonly smallint: Int;
  readonly text: string;
}

type ValueOf<Type, Int> = Type extends `${infer Base}?`
  ? ValueOf<Base, Int> | null
  : Type extends BinaryType
    ? Values<Int>[Type]
    : never;

/** The chain or the network, which is the first column of each table. */
type Partition = "chain_id" | "network_id";

/** A row of a table, without its chain or network. Bytes are lower-case hex without `0x`. */
export type TableRow<Name extends TableName, Int = Integer> = {
  -readonly [Column in Exclude<keyof (typeof COLUMNS)[Name], Partition>]: ValueOf<(typeof COLUMNS)[Name][Column], Int>;
};

/** A row that can be copied: PostgreSQL refuses a NULL that its column does not take. */
export type CopiedRow<Name extends TableName> = {
  readonly [Column in keyof TableRow<Name>]:
    | TableRow<Name>[Column]
    | ((typeof COLUMNS)[Name][Column & keyof (typeof COLUMNS)[Name]] extends `bytea${string}` ? Bytes : never)
    | null;
};

/** Rows as `copyOf` takes them. Throws `UnfitValue` if a value does not fit its column. */
export function encodeRows<Name extends TableName>(
  table: Name,
  partition: Integer,
  rows: readonly CopiedRow<Name>[],
): Buffer {
  return binaryRows(COLUMNS[table], partition, rows);
}

/** The COPY of encoded rows. */
export const copyOf = (table: TableName, parts: readonly Buffer[]): EncodedCopy => ({
  table,
  columns: columnNames(table),
  parts,
});

/** The COPY of rows of one chain or network; no COPY without rows. */
export function copiesOf<Name extends TableName>(
  table: Name,
  partition: Integer,
  rows: readonly CopiedRow<Name>[],
): EncodedCopy[] {
  return rows.length > 0 ? [copyOf(table, [encodeRows(table, partition, rows)])] : [];
}

/** The columns of a table, with the chain or network as the first one. */
export const columnNames = (table: TableName): string[] => Object.keys(COLUMNS[table]);

/** The columns of a row: those of its table without the chain or network. */
export const rowColumns = (table: TableName): TableColumn[] => tableColumns(table).slice(1);
