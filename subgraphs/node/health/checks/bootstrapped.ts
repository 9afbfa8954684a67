import type { Bootstrapping } from "../indexing/bootstrapping.ts";
import type { Check } from "../runner/check.ts";

/** Passes if the index of every chain has reached its node's head once (see `isAtHead`). The message lists the subnets of the other chains. */
export function bootstrappedCheck(bootstrapping: Pick<Bootstrapping, "pending">): Check {
  return async () => {
    const message = [...new Set((await bootstrapping.pending()).map(({ subnet }) => subnet))].sort();
    return message.length === 0 ? { message } : { message, error: "subnets not bootstrapped" };
  };
}
