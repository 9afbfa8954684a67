import type { ExportColumn } from "../export-source.ts";

/** A column of an export: the only definition of its header, its content and its entry in docs/exports.md. */
export interface Column<Row> extends ExportColumn {
  readonly description: string;
  /** Unit of the values; null if they have none. */
  readonly unit: string | null;
  /** When the cell is empty; null: never. */
  readonly empty: string | null;
  readonly example: string;
  /** Returns the cell of a row; empty text if the row does not have the value. */
  readonly cell: (row: Row) => string;
}

/** Returns a function that writes the cells of a row, in the order of the columns. */
export function cellsOf<Row>(columns: readonly Column<Row>[]): (row: Row) => string[] {
  const writers = columns.map(({ cell }) => cell);
  const { length } = writers;
  return (row) => {
    const cells = new Array<string>(length);
    for (let index = 0; index < length; index++) cells[index] = (writers[index] as (row: Row) => string)(row);
    return cells;
  };
}
