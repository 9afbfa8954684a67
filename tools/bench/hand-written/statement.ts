import pg from "pg";

const { builtins } = pg.types;
const asText = (text: string): string => text;
const PARSERS = new Map<number, (text: string) => unknown>([
  [builtins.BYTEA, (text) => `0x${text.slice(2)}`],
  [builtins.INT4, Number],
  [builtins.INT2, Number],
  [builtins.FLOAT8, Number],
  [builtins.BOOL, (text) => text === "t"],
]);
const types = { getTypeParser: (oid: number) => PARSERS.get(oid) ?? asText } as pg.CustomTypesConfig;

/** Returns a function that runs a prepared statement with the driver's own means: the driver makes the objects of the rows. */
export function prepared<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  name: string,
  text: string,
): (values: unknown[]) => Promise<Row[]> {
  return async (values) => (await pool.query<Row>({ name, text, values, types })).rows;
}

/** The text of a statement whose rows also have the head of their chain. */
export const withHead = (text: string, head: string): string => `SELECT list.*, (${head}) AS head FROM (${text}) list`;

/** A row of `withHead`. */
export interface WithHead {
  readonly head: string;
}
