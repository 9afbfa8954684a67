import type pg from "pg";

interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Heap Fetches"?: number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly Plan[];
}

/** What the scan of a table did. */
export interface Scan {
  readonly table: string;
  /** As `Index Only Scan`. */
  readonly kind: string;
  /** Rows that it gave, and those that it looked at for nothing. */
  readonly rows: number;
  readonly removed: number;
}

/** The scans of tables that a statement really makes with these values. */
export async function scansOf(pool: pg.Pool, statement: string, values: readonly unknown[]): Promise<Scan[]> {
  const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`, [...values]);
  return scansIn(rows[0]["QUERY PLAN"][0].Plan);
}

function scansIn(plan: Plan): Scan[] {
  const inner = (plan.Plans ?? []).flatMap(scansIn);
  const table = plan["Relation Name"];
  if (table === undefined) return inner;
  const loops = plan["Actual Loops"];
  const rows = plan["Actual Rows"] * loops;
  return [{ table, kind: plan["Node Type"], rows, removed: (plan["Rows Removed by Filter"] ?? 0) * loops }, ...inner];
}
