import type { RowClients } from "./row-clients.ts";

/** Number of rows of one day. */
export interface DayRows {
  /** UTC, `YYYY-MM-DD`. */
  readonly date: string;
  readonly rows: number;
}

/** Rows in file order. */
export interface RowBatch {
  /** One text per column of `ExportSource.columns`; empty text for a value that the row does not have. */
  readonly rows: readonly (readonly string[])[];
  /** Where reading can start again after these rows; null if more rows of the same transaction or block may follow. */
  readonly position: string | null;
}

export interface ReadOptions {
  /** Position after which to start; null: at the first row. */
  readonly after: string | null;
  /** Only rows of days before this one (UTC, `YYYY-MM-DD`); null: all. */
  readonly beforeDate: string | null;
  readonly signal: AbortSignal;
}

/** A column of an export. */
export interface ExportColumn {
  /** PascalCase. */
  readonly name: string;
  /** Text cells may begin with characters that a spreadsheet takes for a formula; numbers and times never do. */
  readonly kind: "text" | "number" | "time";
}

/** The last indexed block of a chain when a job started. Rows of later blocks are not exported. */
export interface LastBlock {
  /** EVM chain id, or P, X or C for a chain of the primary network. */
  readonly chain: string;
  readonly blockNumber: string;
  /** `0x` hex. */
  readonly blockHash: string;
  /** Number of transactions of a chain of the primary network up to that block; undefined for EVM chains. */
  readonly transactionCount?: string | undefined;
}

/**
 * The rows of an export request. All methods read in the transactions that are open on `clients`: one snapshot of each
 * database for the counts and the rows.
 */
export interface ExportSource {
  readonly columns: readonly ExportColumn[];
  /** The bounds of an export: the last indexed block of each chain that the rows depend on. Throws `Failure` if a chain cannot be exported now. */
  readBounds(clients: RowClients): Promise<readonly LastBlock[]>;
  /** True if the blocks of `bounds` are still indexed, and the rows up to them are still the same. */
  areBlocksStillIndexed(clients: RowClients, bounds: readonly LastBlock[]): Promise<boolean>;
  /** What a person should know about rows that the export leaves out; one sentence each. */
  readWarnings?(clients: RowClients, bounds: readonly LastBlock[]): Promise<readonly string[]>;
  /** Number of rows on each day that has rows, in order. */
  countDays(clients: RowClients, bounds: readonly LastBlock[]): Promise<readonly DayRows[]>;
  /** Reads with a server-side cursor, so that memory does not grow with the number of rows. */
  read(clients: RowClients, bounds: readonly LastBlock[], options: ReadOptions): AsyncIterable<RowBatch>;
}
