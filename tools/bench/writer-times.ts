import type { Session, Writer } from "../../indexer/shared/writer.ts";

/** A writer that measures how long the statements on each of some tables take, in milliseconds. */
export interface MeasuredWriter {
  readonly writer: Writer;
  readonly times: ReadonlyMap<string, number>;
}

/**
 * Wraps a writer. A statement counts for the first of the tables that it names, without the time that it waits for the statements that were
 * called before it: the writer runs one after another.
 */
export function measuredWriter(writer: Writer, tables: readonly string[]): MeasuredWriter {
  const times = new Map<string, number>();
  let previousEnd = 0;
  const measured = async <Result>(text: string, run: () => Promise<Result>): Promise<Result> => {
    const table = tables.find((name) => text.includes(name));
    const calledAt = performance.now();
    try {
      return await run();
    } finally {
      const startedAt = Math.max(calledAt, previousEnd);
      previousEnd = performance.now();
      if (table !== undefined) times.set(table, (times.get(table) ?? 0) + previousEnd - startedAt);
    }
  };
  const wrap = (session: Session): Session => ({
    query: (text, values) => measured(text, () => session.query(text, values)),
    copy: (copies) => measured(copies.map(({ table }) => table).join(), () => session.copy(copies)),
  });
  return {
    times,
    writer: {
      lost: writer.lost,
      transaction: (task, options) => writer.transaction((session) => task(wrap(session)), options),
      [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
    },
  };
}
