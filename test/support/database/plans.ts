import pg from "pg";

interface Plan {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Heap Fetches"?: number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly Plan[];
}

/** Measures of the scan of a table. */
export interface Scan {
  readonly table: string;
  /** Node type of the plan, such as `Index Only Scan`. */
  readonly kind: string;
  /** Rows that it returned, and rows that a filter removed. */
  readonly rows: number;
  readonly removed: number;
}

/** Runs a statement with `EXPLAIN ANALYZE` and returns its scans of tables. */
export function scansOf(pool: pg.Pool, statement: string, values: readonly unknown[]): Promise<Scan[]> {
  return scansOn(pool, statement, values);
}

/** The same on a connection, with its settings. */
export async function scansOn(
  connection: Pick<pg.ClientBase, "query">,
  statement: string,
  values: readonly unknown[],
): Promise<Scan[]> {
  const { rows } = await connection.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`, [...values]);
  return scansIn(rows[0]["QUERY PLAN"][0].Plan);
}

/** The same for the plan that PostgreSQL uses for any values, once a prepared statement has run a few times. */
export async function scansOfGenericPlan(
  pool: pg.Pool,
  statement: string,
  values: readonly unknown[],
): Promise<Scan[]> {
  const literals = values.map((value) => pg.escapeLiteral(Array.isArray(value) ? arrayText(value) : String(value)));
  const client = await pool.connect();
  try {
    await client.query("SET plan_cache_mode = force_generic_plan");
    await client.query(`PREPARE planned AS ${statement}`);
    const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE planned(${literals})`);
    return scansIn(rows[0]["QUERY PLAN"][0].Plan);
  } finally {
    // Ends the session with its setting and its statement.
    client.release(true);
  }
}

/** How a statement finds its rows, whatever the sizes of the tables. */
export interface Access {
  /** The indexes that it reads, each once. */
  readonly indexes: readonly string[];
  /** Number of sorts. */
  readonly sorts: number;
}

/** How PostgreSQL runs a statement if it avoids reading whole tables and sorting wherever an index allows it. */
export async function accessOf(pool: pg.Pool, statement: string, values: readonly unknown[]): Promise<Access> {
  const client = await pool.connect();
  try {
    for (const setting of ["seqscan", "bitmapscan", "sort", "incremental_sort"])
      await client.query(`SET enable_${setting} = off`);
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${statement}`, [...values]);
    const nodes = nodesIn(rows[0]["QUERY PLAN"][0].Plan);
    const indexes = new Set(nodes.flatMap((node) => node["Index Name"] ?? []));
    return { indexes: [...indexes].sort(), sorts: nodes.filter((node) => /Sort$/.test(node["Node Type"])).length };
  } finally {
    // Ends the session with its settings.
    client.release(true);
  }
}

const nodesIn = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesIn)];

/** PostgreSQL's text form of an array. */
const arrayText = (items: readonly unknown[]): string =>
  `{${items.map((item) => (item === null ? "NULL" : JSON.stringify(String(item))))}}`;

function scansIn(plan: Plan): Scan[] {
  const inner = (plan.Plans ?? []).flatMap(scansIn);
  const table = plan["Relation Name"];
  if (table === undefined) return inner;
  const loops = plan["Actual Loops"];
  const rows = plan["Actual Rows"] * loops;
  return [{ table, kind: plan["Node Type"], rows, removed: (plan["Rows Removed by Filter"] ?? 0) * loops }, ...inner];
}
