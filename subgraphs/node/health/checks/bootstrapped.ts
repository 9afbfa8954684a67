import type { Bootstrapping } from "../indexing/bootstrapping.ts";
import type { Check } from "../runner/check.ts";

/** Passes if every chain has finished its first indexing. The message lists the subnets of the chains that have not. */
export function bootstrappedCheck(bootstrapping: Pick<Bootstrapping, "pending">): Check {
  return async () => {
    const message = [...new Set((await bootstrapping.pending()).map(({ subnet }) => subnet))].sort();
    return message.length === 0 ? { message } : { message, error: "subnets not bootstrapped" };
  };
}
