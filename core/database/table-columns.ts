import { COLUMNS, RENAMED } from "../../prisma/columns.ts";

export type TableName = keyof typeof COLUMNS;

export interface TableColumn {
  /** Its name in the Prisma schema. */
  readonly field: string;
  readonly column: string;
  /** PostgreSQL's name of the type. */
  readonly type: string;
}

const FIELDS = new Map<string, string>(Object.entries(RENAMED).map(([field, column]) => [column, field]));

/** All columns of a table. */
export const tableColumns = (table: TableName): TableColumn[] =>
  Object.entries<string>(COLUMNS[table]).map(([column, type]) => ({
    field: FIELDS.get(column) ?? camelCase(column),
    column,
    type: type.replace("?", ""),
  }));

const camelCase = (column: string): string => column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
