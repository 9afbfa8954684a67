import pg from "pg";

type Query = (this: pg.Client, ...args: unknown[]) => unknown;

/** Returns the texts of all statements that this process sends to PostgreSQL while `task` runs, Prisma's included. */
export async function statementsOf(task: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const original = prototype.query;
  prototype.query = function watched(...args) {
    const [first] = args;
    statements.push(typeof first === "string" ? first : ((first as { text?: string } | undefined)?.text ?? ""));
    return original.apply(this, args);
  };
  try {
    await task();
  } finally {
    prototype.query = original;
  }
  return statements;
}
