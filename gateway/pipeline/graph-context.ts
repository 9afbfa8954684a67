import type { Caller } from "../../core/access/callers.ts";

/** What the gateway adds to the context of an operation. */
export interface GraphContext extends Record<string, unknown> {
  requestId: string;
  /** Name of the caller's API key. */
  caller?: string | undefined;
  /** Who pays for the operation. Absent for operations of this process, whose access is checked elsewhere. */
  client?: Caller | undefined;
  /** See `RequestInfo`. */
  callerLeft?: (() => AbortSignal) | undefined;
  /** True for operations of this process, such as those of REST. Only code in this process can set it. */
  isOwnOperation?: boolean | undefined;
}
