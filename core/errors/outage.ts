import { errorCode, messageOf } from "./errors.ts";

/** Of the system, of PostgreSQL and of Prisma. */
const OUTAGE_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "ETIMEDOUT",
  "57P01",
  "57P02",
  "57P03",
  "57014",
  "53100",
  "53200",
  "53300",
  "25006",
  "08006",
  "P1001",
  "P1017",
  "P2024",
]);

/** Messages of the driver, of Prisma, and of `runLimited`. */
const OUTAGE_MESSAGE =
  /Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout|the database has not answered within|Can't reach database|ECONNREFUSED/;

/**
 * True if the error means that the database cannot be reached, is overloaded, has not answered in time, or takes no rows: its disk or memory
 * is full, or it is read-only.
 */
export function isOutage(error: unknown): boolean {
  // No `instanceof`: inside a test's sandbox, errors of Node.js have another Error class.
  if (typeof error !== "object" || error === null) return false;
  const code = String(errorCode(error) ?? "");
  return OUTAGE_CODES.has(code) || OUTAGE_MESSAGE.test(messageOf(error));
}
