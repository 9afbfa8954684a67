import type { Operation } from "../operations/types.ts";

/** Largest number of operations that one statement reads. */
const MAX_IDS = 1_000;

/** Reads the operation with an id; null if it does not exist. */
export type ReadRow = (operationId: string) => Promise<Operation | null>;

interface Batch {
  readonly ids: Set<string>;
  readonly rows: Promise<ReadonlyMap<string, Operation>>;
}

/**
 * Shares statements between many readers: while a statement runs, requested ids are collected for the next one, in which
 * each id occurs once. A statement always starts after the calls that it answers.
 */
export function createRowReader(byIds: (operationIds: readonly string[]) => Promise<readonly Operation[]>): ReadRow {
  let running: Promise<unknown> = Promise.resolve();
  let next: Batch | null = null;
  const createNext = (): Batch => {
    const ids = new Set<string>();
    const rows = running.then(async () => {
      next = null;
      return new Map((await byIds([...ids])).map((operation) => [operation.operationId, operation]));
    });
    running = rows.catch(() => {});
    return { ids, rows };
  };
  return async (operationId) => {
    if (!next || next.ids.size >= MAX_IDS) next = createNext();
    next.ids.add(operationId);
    return (await next.rows).get(operationId) ?? null;
  };
}
