/** One of the things that differ, as text. */
export interface Example {
  /** The key of the row, such as `block_number=7, log_index=2`. */
  readonly key: string;
  readonly indexed: string;
  readonly expected: string;
}

/** Longer texts of rows are cut. */
export const MAX_EXAMPLE_CHARACTERS = 300;

/** What an example has in place of a row that does not exist. */
export const NO_ROW = "no row";
