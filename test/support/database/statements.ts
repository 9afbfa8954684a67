import pg from "pg";

type Query = (this: pg.Client, ...args: unknown[]) => unknown;

/** What each new connection sends first. */
const OF_CONNECTIONS = /^SELECT set_config\('bytea_output'/;

/**
 * Returns the texts of all statements that this process sends to PostgreSQL while `task` runs, Prisma's included, without those that
 * prepare a new connection.
 */
export async function statementsOf(task: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const original = prototype.query;
  prototype.query = function watched(...args) {
    statements.push(...textsOf(args[0]).filter((text) => !OF_CONNECTIONS.test(text)));
    return original.apply(this, args);
  };
  try {
    await task();
  } finally {
    prototype.query = original;
  }
  return statements;
}

interface Sent {
  readonly text?: string;
  /** Statements that are sent together. */
  readonly statements?: readonly { readonly text: string }[];
}

function textsOf(query: unknown): string[] {
  if (typeof query === "string") return [query];
  const { text = "", statements } = (query ?? {}) as Sent;
  return statements ? statements.map((one) => one.text) : [text];
}
