import { errorCode, Failure, messageOf } from "../errors/errors.ts";

/** Reason of a timeout. */
export const TIMEOUT = "no answer in time";

/** True if the database did not answer in time. Also true for a `Failure` that was caused by such an error. */
export function isTimeout(error: unknown): boolean {
  return reasonOf(error instanceof Failure ? (error.originalError ?? error) : error) === TIMEOUT;
}

/** Reasons by pattern. A pattern is compared with the error code of Node.js or PostgreSQL; without a code, with pg's message. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED/, "connection refused"],
  [/^Connection terminated due to connection timeout/, TIMEOUT],
  [/^(ECONNRESET|EPIPE|08)|^Connection terminated/, "connection lost"],
  [/^(ENOTFOUND|EAI_AGAIN)/, "its host name cannot be resolved"],
  [/^(EHOSTUNREACH|ENETUNREACH)/, "its host cannot be reached"],
  [/^ETIMEDOUT|^Query read timeout|^57014|^timeout exceeded when trying to connect/, TIMEOUT],
  [/^57P01|^57P02/, "it has ended the session"],
  [/^57P03/, "it is starting up or shutting down"],
  [/^53300/, "too many connections"],
  [/^53100/, "its disk is full"],
  [/^28/, "access refused"],
  [/^3D/, "the database does not exist"],
  [/^42501/, "its role lacks a right"],
  [/^25006/, "it is read-only"],
];

/** Returns why the database cannot be used, without its address or account. */
export function reasonOf(error: unknown): string {
  const code = String(errorCode(error) ?? "");
  const text = code || messageOf(error);
  const known = REASONS.find(([pattern]) => pattern.test(text))?.[1];
  return known ?? (code ? `error ${code}` : "it failed");
}
