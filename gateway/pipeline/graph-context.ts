/** What the gateway adds to the context of an operation. */
export interface GraphContext extends Record<string, unknown> {
  requestId: string;
  /** Name of the caller's API key. */
  caller?: string | undefined;
  /** See `RequestInfo`. */
  callerLeft?: (() => AbortSignal) | undefined;
}
