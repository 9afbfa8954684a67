import { randomBytes } from "node:crypto";
import pg from "pg";

/** Connection URL of a superuser of a coordinator of Citus whose database `postgres` has the extension and the workers. */
export const COORDINATOR = process.env["MORAINE_TEST_CITUS"];

/** Why a test is skipped where no coordinator is named. */
export const WITHOUT_CITUS = COORDINATOR ? "" : " (skipped: MORAINE_TEST_CITUS names no coordinator of Citus)";

interface Node {
  readonly host: string;
  readonly port: number;
}

/** An empty database on a coordinator, with the extension and its workers; disposing it drops it on all of them. */
export async function createCitusDatabase(): Promise<AsyncDisposable & { readonly url: string }> {
  const name = `moraine_${randomBytes(6).toString("hex")}`;
  const { hostname, port } = new URL(COORDINATOR ?? "");
  const workers = (
    await onDatabase<Node>(
      "postgres",
      null,
      "SELECT node_name AS host, node_port::int AS port FROM citus_get_active_worker_nodes()",
    )
  ).sort((one, other) => one.port - other.port);
  const all = [null, ...workers];
  for (const node of all) {
    await onDatabase("postgres", node, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
    await onDatabase(name, node, "CREATE EXTENSION citus");
  }
  await onDatabase(name, null, "SELECT citus_set_coordinator_host($1, $2::int)", [hostname, port]);
  for (const { host, port } of workers)
    await onDatabase(name, null, "SELECT citus_add_node($1, $2::int)", [host, port]);
  return {
    url: urlOf(name, null),
    async [Symbol.asyncDispose]() {
      for (const node of all) await onDatabase("postgres", node, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

function urlOf(name: string, node: Node | null): string {
  const own = node ? { hostname: node.host, port: String(node.port) } : {};
  return Object.assign(new URL(COORDINATOR ?? ""), { pathname: `/${name}`, ...own }).href;
}

async function onDatabase<Row extends pg.QueryResultRow>(
  name: string,
  node: Node | null,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: urlOf(name, node) });
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
