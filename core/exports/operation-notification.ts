import type { OperationNotification } from "../database/operations.ts";
import { parseJson } from "../formats/json.ts";

/** Parses the payload of a notification; null if it is invalid, because any client of the database can notify. */
export function parseNotification(payload: string): OperationNotification | null {
  const parsed = parseJson(payload) as Partial<OperationNotification> | null | undefined;
  const isValid = typeof parsed?.operationId === "string" && typeof parsed.owner === "string";
  return isValid ? (parsed as OperationNotification) : null;
}
