import type { IncomingMessage } from "node:http";
import type { Caller } from "../../core/access/callers.ts";
import type { OperationCharge } from "./access/operation-charge.ts";

/** Who sends an HTTP request. */
export interface Sender {
  readonly client: Caller;
  readonly req: IncomingMessage;
  /** Null if the sender, a REST server in another process, has charged the request itself. */
  readonly charge: OperationCharge | null;
}

/** The senders of the requests that are answered now. */
export type Senders = WeakMap<object, Sender>;
