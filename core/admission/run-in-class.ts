import { createConcurrencyLimit } from "../concurrency-limit.ts";
import { currentScope, runInScope } from "../observability/request-scope.ts";
import { createWork } from "../work/work.ts";
import { type CostClass, isHeavy } from "./cost-class.ts";
import { runHeavy } from "./heavy-operations.ts";

/** Statements that all remote operations of the process run at the same time. These operations take no places of light ones. */
export const REMOTE_STATEMENTS = 2;
const statements = createConcurrencyLimit(REMOTE_STATEMENTS);

/** Runs an operation that has entered, with the limits of its class. */
export function runInClass<Result>(
  costClass: CostClass | null,
  run: () => Promise<Result> | Result,
): Promise<Result> | Result {
  if (isHeavy(costClass)) return runHeavy(run);
  if (costClass !== "remote") return run();
  const { requestId = "", work = createWork() } = currentScope() ?? {};
  return runInScope({ requestId, work, isHeavy: false, statements }, run);
}
