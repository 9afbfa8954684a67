import { Failure } from "../../../core/errors/errors.ts";
import { countRejection } from "../../../core/observability/rejections.ts";

/** Makes the error of an operation that exceeds a limit, and counts the refusal. */
export function tooComplex(message: string): Failure {
  countRejection("too_complex");
  return new Failure("OPERATION_TOO_COMPLEX", message);
}
