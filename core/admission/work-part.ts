import { Failure } from "../errors.ts";
import { currentScope } from "../observability/request-scope.ts";
import { cancelWork, createWork, type Work } from "../work/work.ts";

/** Longest time of a part. Each of its statements may take at most 10 seconds. */
const MAX_SECONDS = 60;

/** A part of a request with work of its own, which is cancelled when that of the request is. */
export interface WorkPart {
  readonly work: Work;
  /** The work is cancelled 60 seconds after this call. */
  startDeadline(): void;
  /** Must be called at the end of the part. */
  end(): void;
}

/** Begins a part of the present request. Outside of requests, the part stands alone. */
export function beginWorkPart(): WorkPart {
  const request = currentScope()?.work;
  const work = createWork();
  let timer: NodeJS.Timeout | undefined;
  const cancel = () => {
    if (request?.reason) cancelWork(work, request.reason);
  };
  cancel();
  request?.onCancel.add(cancel);
  return {
    work,
    startDeadline() {
      timer ??= setTimeout(() => cancelWork(work, tooLong()), MAX_SECONDS * 1_000);
    },
    end() {
      clearTimeout(timer);
      request?.onCancel.delete(cancel);
    },
  };
}

function tooLong(): Failure {
  return new Failure("UNAVAILABLE", `the request took longer than ${MAX_SECONDS} s: request less data`);
}
