import { errorCode } from "../../core/errors/errors.ts";

/** SQLSTATE of the failure of every statement that follows a failed one in its transaction. */
const AFTER_FAILURE = "25P02";

/**
 * The results of promises of one transaction, by the names of the promises, when all of them have ended. Rejects with the failure that was
 * the first one in time, but for those of statements that PostgreSQL refused because of an earlier failure. Rejects only when all have
 * ended: a transaction must not end while a part of it may still call statements.
 */
export async function allEnded<Promises extends Readonly<Record<string, Promise<unknown>>>>(
  promises: Promises,
): Promise<{ readonly [Name in keyof Promises]: Awaited<Promises[Name]> }> {
  const failures: unknown[] = [];
  for (const promise of Object.values(promises)) promise.catch((error: unknown) => failures.push(error));
  await Promise.allSettled(Object.values(promises));
  if (failures.length > 0) throw failures.find(isCause) ?? failures[0];
  const results = Object.entries(promises).map(async ([name, promise]) => [name, await promise] as const);
  return Object.fromEntries(await Promise.all(results)) as { [Name in keyof Promises]: Awaited<Promises[Name]> };
}

const isCause = (failure: unknown): boolean => errorCode(failure) !== AFTER_FAILURE;
