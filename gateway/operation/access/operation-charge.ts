import { FAILURES, Failure } from "../../../core/errors/errors.ts";
import type { Caller } from "../../../core/limits/access/callers.ts";
import { type ChargeCaller, REFUSED_UNITS } from "../../../core/limits/access/rate-limit.ts";
import { RequestError } from "../request-error.ts";

/**
 * What one operation costs its caller, by the same rule over HTTP, event streams and WebSockets. An operation that runs costs its units. One
 * that is refused before that costs one unit, whatever the reason is; nothing if the reason is the service, which is overloaded or shutting
 * down. An operation that is refused because the units are used up costs nothing.
 */
export interface OperationCharge {
  /** The rate limit headers of the answer, names and values alternating. */
  readonly headers: string[];
  /** Charges the cost of the operation, which is about to run. For `refuse` and the result see `ChargeCaller`. */
  pay(units: number, refuse: () => Promise<never> | null): Promise<void> | undefined;
  /** Notes why the operation is refused. Not needed if the reason is the operation or its caller. */
  refused(reason: unknown): void;
  /**
   * Must be called before the operation is answered: charges it if it was refused. Throws or rejects with `RATE_LIMITED`, which is then the
   * answer, if the units are used up.
   */
  settle(): Promise<void> | undefined;
}

/** `headers` get the rate limit headers of the answer. */
export function createOperationCharge(client: Caller, charge: ChargeCaller, headers: string[] = []): OperationCharge {
  let isSettled = false;
  return {
    headers,
    pay(units, refuse) {
      isSettled = true;
      return charge(client, units, headers, refuse);
    },
    refused(reason) {
      if (reason instanceof Failure && reason.code === "UNAVAILABLE") isSettled = true;
    },
    settle() {
      if (isSettled) return undefined;
      isSettled = true;
      return charge(client, REFUSED_UNITS, headers);
    },
  };
}

/** Runs an operation that throws if it is refused, and settles its charge. */
export async function settled<Outcome>(charge: OperationCharge, run: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await run();
  } catch (error) {
    charge.refused(error);
    throw error;
  } finally {
    await settle(charge);
  }
}

/** Nothing has run if the charge is refused. */
async function settle(charge: OperationCharge): Promise<void> {
  try {
    await charge.settle();
  } catch (error) {
    if (error instanceof Failure) throw new RequestError([error], FAILURES[error.code].http);
    throw error;
  }
}
