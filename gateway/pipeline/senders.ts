import type { IncomingMessage } from "node:http";
import type { Caller } from "../../core/access/callers.ts";

/** Who sends an HTTP request. */
export interface Sender {
  readonly client: Caller;
  readonly req: IncomingMessage;
  /** True if the request is not charged here: the sender has done it itself, or the request is refused because of overload. */
  readonly isCharged: boolean;
}

/** The senders of the requests that are answered now. */
export type Senders = WeakMap<object, Sender>;
