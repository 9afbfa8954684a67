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
  await watching(({ text }) => void statements.push(text), task);
  return statements;
}

/** Calls `onStatement` for each statement, before it is sent, while `task` runs. */
async function watching(onStatement: (statement: SentStatement) => void, task: () => Promise<unknown>): Promise<void> {
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const original = prototype.query;
  prototype.query = function watched(...args) {
    for (const statement of sentIn(args)) if (!OF_CONNECTIONS.test(statement.text)) onStatement(statement);
    return original.apply(this, args);
  };
  try {
    await task();
  } finally {
    prototype.query = original;
  }
}

interface Sent {
  readonly text?: string;
  readonly values?: readonly unknown[];
  /** Statements that are sent together. */
  readonly statements?: readonly SentStatement[];
}

function sentIn([query, values]: readonly unknown[]): readonly SentStatement[] {
  const own = Array.isArray(values) ? values : [];
  if (typeof query === "string") return [{ text: query, values: own }];
  const { text = "", values: given = own, statements } = (query ?? {}) as Sent;
  return statements ?? [{ text, values: given }];
}

/** A statement with the values of its parameters. */
export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** As in `Statement` of `core/database/text-query.ts`. Undefined for a statement that is planned each time that it is sent. */
  readonly partition?: string | null;
}

/** As `statementsOf`, with the values of the parameters. Each text is returned with the values that it was first sent with. */
export async function distinctStatementsOf(task: () => Promise<unknown>): Promise<SentStatement[]> {
  const sent = new Map<string, SentStatement>();
  await watching((statement) => {
    if (!sent.has(statement.text)) sent.set(statement.text, statement);
  }, task);
  return [...sent.values()];
}
