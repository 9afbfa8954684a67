import pg from "pg";

type Query = (this: pg.Client, ...args: unknown[]) => unknown;

/** What each new connection sends first. */
const OF_CONNECTIONS = /^SET statement_timeout/;

/**
 * Returns the texts of all statements that this process sends to PostgreSQL while `task` runs, Prisma's included, without those that
 * prepare a new connection.
 */
export async function statementsOf(task: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const original = prototype.query;
  prototype.query = function watched(...args) {
    const [first] = args;
    const text = typeof first === "string" ? first : ((first as { text?: string } | undefined)?.text ?? "");
    if (!OF_CONNECTIONS.test(text)) statements.push(text);
    return original.apply(this, args);
  };
  try {
    await task();
  } finally {
    prototype.query = original;
  }
  return statements;
}
