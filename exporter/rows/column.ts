import type { ExportFileForm } from "../../core/database/operations.ts";
import type { ExportColumn } from "../export-source.ts";

/** A column of an export: the only definition of its header, its content and its entry in docs/export-columns.md. */
export interface Column<Row> extends ExportColumn {
  readonly description: string;
  /** Unit of the values; null if they have none. */
  readonly unit: string | null;
  /** When the cell is empty; null: never. */
  readonly empty: string | null;
  readonly example: string;
  /** Returns the cell of a row; empty text if the row does not have the value. Times are in ISO 8601. */
  readonly cell: (row: Row) => string;
}

/** The columns of a file: those of the type of export, and `ExportedAddress` if the request asks for it. */
export function columnsOf<Row>(
  columns: readonly Column<Row>[],
  exportedAddress: Column<Row>,
  form: ExportFileForm,
): readonly Column<Row>[] {
  return form.exportedAddress ? [...columns, exportedAddress] : columns;
}

/** Returns a function that writes the cells of a row, in the order of the columns. */
export function cellsOf<Row>(columns: readonly Column<Row>[], { dateFormat }: ExportFileForm): (row: Row) => string[] {
  const isDateTime = dateFormat === "DATE_TIME";
  const writers = columns.map(({ kind, cell }) =>
    isDateTime && kind === "time" ? (row: Row) => dateTimeOf(cell(row)) : cell,
  );
  const { length } = writers;
  return (row) => {
    const cells = new Array<string>(length);
    for (let index = 0; index < length; index++) cells[index] = (writers[index] as (row: Row) => string)(row);
    return cells;
  };
}

/** `YYYY-MM-DD hh:mm:ss` of a time in ISO 8601. */
const dateTimeOf = (iso: string): string => iso.replace("T", " ").replace("Z", "");
