import type { Caller } from "../../core/access/callers.ts";
import type { CostClass } from "../../core/admission/cost-class.ts";
import type { OperationCharge } from "./access/operation-charge.ts";

/** What the gateway adds to the context of an operation. */
export interface GraphContext extends Record<string, unknown> {
  requestId: string;
  /** Name of the caller's API key. */
  caller?: string | undefined;
  /** Who pays for the operation. Absent for operations of this process, whose access is checked elsewhere. */
  client?: Caller | undefined;
  /** Absent if `client` is. */
  charge?: OperationCharge | undefined;
  /**
   * Returns the name under which the running and waiting operations and the connections of the caller are limited: see
   * `Callers.shareOf`. Absent for operations of this process, and of REST in a process of its own: these have already waited for their
   * turn.
   */
  share?: (() => string) | undefined;
  /** Null if the operation never waits, as a probe does. Absent if `share` is. */
  costClass?: CostClass | null | undefined;
  /** Called after the operation has run, and not if it is refused. */
  onRun?: () => void;
  /** See `RequestInfo`. */
  callerLeft?: (() => AbortSignal) | undefined;
  /** True for operations over a WebSocket that a web page of another origin has opened. */
  isFromOtherOrigin?: boolean | undefined;
  /** True for operations of this process, such as those of REST. Only code in this process can set it. */
  isOwnOperation?: boolean | undefined;
}
