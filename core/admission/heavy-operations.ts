import { currentScope, runInScope } from "../observability/request-scope.ts";
import { heavyTurn } from "./heavy-turns.ts";
import { beginWorkPart } from "./work-part.ts";

/** Runs a heavy operation of the present request, for at most 60 seconds. Its parts run in turns; see `heavyTurn`. */
export async function runHeavy<Result>(run: () => Promise<Result> | Result): Promise<Result> {
  const { requestId = "" } = currentScope() ?? {};
  const part = beginWorkPart();
  part.startDeadline();
  try {
    const result = await runInScope({ requestId, work: part.work, isHeavy: true }, run);
    await heavyTurn();
    return result;
  } finally {
    part.end();
  }
}
