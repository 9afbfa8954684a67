/** Settings of PostgreSQL by name. */
export type TransactionSettings = Readonly<Record<string, string>>;

/** A connection with an open transaction. */
interface Statements {
  query(text: string): Promise<unknown>;
}

/** Uses settings in the open transaction. One statement, or none without settings. */
export async function useSettings(transaction: Statements, settings: TransactionSettings): Promise<void> {
  const statements = Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = ${value}`);
  if (statements.length > 0) await transaction.query(statements.join("; "));
}

/** Resets settings of the open transaction to their defaults. One statement, or none without settings. */
export async function restoreSettings(transaction: Statements, settings: TransactionSettings): Promise<void> {
  const statements = Object.keys(settings).map((name) => `SET LOCAL ${name} TO DEFAULT`);
  if (statements.length > 0) await transaction.query(statements.join("; "));
}

/** Runs a task with settings in the open transaction. After an error, the end of the transaction restores them. */
export async function withSettings<Result>(
  transaction: Statements,
  settings: TransactionSettings,
  task: () => Promise<Result>,
): Promise<Result> {
  await useSettings(transaction, settings);
  const result = await task();
  await restoreSettings(transaction, settings);
  return result;
}
