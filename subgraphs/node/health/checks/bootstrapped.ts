import type { Bootstrapping } from "../bootstrapping.ts";
import type { Check } from "../check.ts";

/** Passes when every chain has finished its first indexing; its message lists the subnets of those that have not. */
export function bootstrappedCheck(bootstrapping: Pick<Bootstrapping, "pending">): Check {
  return async () => {
    const message = [...new Set((await bootstrapping.pending()).map(({ subnet }) => subnet))].sort();
    return message.length === 0 ? { message } : { message, error: "subnets not bootstrapped" };
  };
}
