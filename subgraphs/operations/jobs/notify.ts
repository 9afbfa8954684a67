import type { ClientBase } from "pg";
import { OPERATIONS_CHANNEL, type OperationNotification } from "../../../core/operations.ts";

/** Announces a change of an operation to the watchers of all processes, when the transaction is committed. */
export async function notifyWatchers(client: ClientBase, notification: OperationNotification): Promise<void> {
  await client.query("SELECT pg_notify($1, $2)", [OPERATIONS_CHANNEL, JSON.stringify(notification)]);
}
