import { Failure, quoted } from "../../../core/errors/errors.ts";

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** The id in lower case; null if it is not a UUID. */
export function parseOperationId(text: string): string | null {
  const id = text.toLowerCase();
  return UUID.test(id) ? id : null;
}

/** The error for an operation that does not exist, or that the caller may not read. */
export function notFound(operationId: string): Failure {
  return new Failure("NOT_FOUND", `operation ${quoted(operationId)} does not exist`);
}
