import { parseJson } from "./json.ts";
import type { OperationNotification } from "./operations.ts";

/** Parses the payload of a notification; null if it is invalid, because any client of the database can notify. */
export function parseNotification(payload: string): OperationNotification | null {
  const parsed = parseJson(payload) as Partial<OperationNotification> | null | undefined;
  const isValid = typeof parsed?.operationId === "string" && typeof parsed.owner === "string";
  return isValid ? (parsed as OperationNotification) : null;
}
