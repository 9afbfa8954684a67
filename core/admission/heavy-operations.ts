import { Failure } from "../errors.ts";
import { currentScope, runInScope } from "../observability/request-scope.ts";
import { cancelWork, createWork } from "../work/work.ts";
import { heavyTurn } from "./heavy-turns.ts";

/** Longest time of a heavy operation. Each of its statements may take at most 10 seconds. */
const MAX_SECONDS = 60;

/**
 * Runs a heavy operation of the present request. Its work is cancelled when that of the request is, or when it has run for 60
 * seconds. Its parts run in turns; see `heavyTurn`.
 */
export async function runHeavy<Result>(run: () => Promise<Result> | Result): Promise<Result> {
  const { requestId = "", work: request } = currentScope() ?? {};
  const work = createWork();
  const cancel = () => {
    if (request?.reason) cancelWork(work, request.reason);
  };
  cancel();
  request?.onCancel.add(cancel);
  const timer = setTimeout(() => cancelWork(work, tooLong()), MAX_SECONDS * 1_000);
  try {
    const result = await runInScope({ requestId, work, isHeavy: true }, run);
    await heavyTurn();
    return result;
  } finally {
    clearTimeout(timer);
    request?.onCancel.delete(cancel);
  }
}

function tooLong(): Failure {
  return new Failure("UNAVAILABLE", `the request took longer than ${MAX_SECONDS} s: request less data`);
}
