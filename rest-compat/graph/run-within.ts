import { Failure } from "../../core/errors/errors.ts";
import type { RequestInfo } from "../../core/graph/graph-client.ts";
import { cancelWork, createWork } from "../../core/work/work.ts";

/** How long a probe waits for a part of the service, unless an option says otherwise. */
export const PROBE_LIMIT_MS = 3_000;

/** The part of the service that a probe asks, and how long it waits for it. */
export interface Asked {
  /** As in "the database". */
  readonly part: string;
  readonly limitMs: number;
}

/** The failure of a part that has not answered within the limit. */
export class LateAnswer extends Failure {
  constructor({ part, limitMs }: Asked) {
    super("UNAVAILABLE", `${part} did not answer within ${limitMs / 1_000} s`);
  }
}

/**
 * Asks a part of the service. If the part does not answer within the limit, cancels the work and rejects with `LateAnswer`.
 */
export async function runWithin<Result>(
  asked: Asked,
  requestId: string,
  run: (info: RequestInfo) => Promise<Result>,
): Promise<Result> {
  const work = createWork();
  const late = new Promise<never>((_, reject) => {
    work.onCancel.add(() => reject(work.reason));
  });
  const timer = setTimeout(() => cancelWork(work, new LateAnswer(asked)), asked.limitMs);
  try {
    return await Promise.race([run({ requestId, work }), late]);
  } finally {
    clearTimeout(timer);
  }
}
