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

/** Records how long the work takes. Work that returns no promise stays synchronous. */
export function timed<Result>(
  { ok, error: failed }: OutcomeCells,
  run: () => Result,
  isFailed: (value: unknown) => boolean = () => false,
): Result {
  if (!isRecording()) return run();
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1_000;
  let result: Result;
  try {
    result = run();
  } catch (error) {
    failed.observe(seconds());
    throw error;
  }
  if (!(result instanceof Promise)) {
    (isFailed(result) ? failed : ok).observe(seconds());
    return result;
  }
  result.then(
    (value: unknown) => (isFailed(value) ? failed : ok).observe(seconds()),
    () => failed.observe(seconds()),
  );
  return result;
}
