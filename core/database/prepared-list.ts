import type pg from "pg";
import type { Heads, ListRows } from "../graph/page.ts";
import type { Work } from "../work/work.ts";
import { HEAD_COLUMN } from "./compile-rows.ts";
import { prepared } from "./database.ts";

/** How far the EVM chain `$1` is indexed. */
export const EVM_HEAD = "SELECT block_number FROM chain_heads WHERE chain_id = $1";

/**
 * How far a chain (SQL expression) of the primary network `$1` is indexed. The last block alone does not show it: the X-Chain begins with
 * vertices, which only the journal counts.
 */
export const primaryHead = (chain: string): string =>
  `SELECT block_number + journal_seq FROM primary_heads WHERE network_id = $1 AND chain = ${chain}`;

/** How far the P-Chain of the primary network `$1` is indexed. */
export const P_CHAIN_HEAD = primaryHead("'P'");

/** Reads the rows of a list, with the head of its chain at the same moment. */
export type ReadList<Row> = (values: unknown[], work: Work) => Promise<ListRows<Row>>;

/**
 * Returns a statement for the rows of a list, which each connection prepares once. `head` is a SELECT with the head of the list's chain.
 * Its parameters are the first ones of the statement. If there are no rows, the head is read by another statement when it is needed.
 */
export function preparedList<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  name: string,
  text: string,
  head: string,
): ReadList<Row> {
  const read = prepared<Row>(pool, name, `SELECT list.*, (${head}) AS "${HEAD_COLUMN}" FROM (${text}) list`);
  const headOf = preparedHead(pool, `${name}-head`, head);
  return async (values, work) => {
    const { rows, head } = await read.withHead(values, work);
    return { rows, heads: () => (head === null ? headOf(values, work) : [head]) };
  };
}

/** Reads a head alone. It is -1 if nothing of the chain is indexed. */
function preparedHead(
  pool: pg.Pool,
  name: string,
  head: string,
): (values: readonly unknown[], work: Work) => Promise<Heads> {
  const parameters = Math.max(...[...head.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  const read = prepared<{ head: string | null }>(pool, name, `SELECT (${head}) AS head`);
  return async (values, work) => {
    const [row] = await read(values.slice(0, parameters), work);
    return [row?.head ?? "-1"];
  };
}
