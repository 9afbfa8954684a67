import { type HistogramCell, isRecording } from "./registry.ts";

/** Series of successful and failed work. */
export interface OutcomeCells {
  readonly ok: HistogramCell;
  readonly error: HistogramCell;
}

/** Makes both series. */
export function outcomeCells(make: (outcome: "ok" | "error") => HistogramCell): OutcomeCells {
  return { ok: make("ok"), error: make("error") };
}

const never = (): boolean => false;

/** Records how long the work takes. Work that returns no promise stays synchronous. */
export function timed<Result>(
  { ok, error: failed }: OutcomeCells,
  run: () => Result,
  isFailed: (value: unknown) => boolean = never,
): Result {
  if (!isRecording()) return run();
  const startedAt = performance.now();
  return withEnd(run, isFailed, (hasFailed) => {
    (hasFailed ? failed : ok).observe((performance.now() - startedAt) / 1_000);
  });
}

/**
 * Calls `end` when the work has ended, and returns what the work returns. `isFailed` decides about a value; work that throws or rejects
 * has failed.
 */
export function withEnd<Result>(
  run: () => Result,
  isFailed: (value: unknown) => boolean,
  end: (hasFailed: boolean) => void,
): Result {
  let result: Result;
  try {
    result = run();
  } catch (error) {
    end(true);
    throw error;
  }
  if (result instanceof Promise)
    result.then(
      (value: unknown) => end(isFailed(value)),
      () => end(true),
    );
  else end(isFailed(result));
  return result;
}

/** True for a GraphQL result with errors. */
export function hasErrors(value: unknown): boolean {
  return typeof value === "object" && value !== null && "errors" in value && Boolean(value.errors);
}
