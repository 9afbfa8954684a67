import type { Bootstrapping } from "../indexing/bootstrapping.ts";
import type { Check } from "../runner/check.ts";

/**
 * Passes once every chain is bootstrapped: its index has reached its node's latest block, or was at most 100 blocks behind while
 * the indexer waited or had stopped (see `isAtHead`). The message lists the subnets of the chains that are not bootstrapped.
 */
export function bootstrappedCheck(bootstrapping: Pick<Bootstrapping, "pending">): Check {
  return async () => {
    const message = [...new Set((await bootstrapping.pending()).map(({ subnet }) => subnet))].sort();
    return message.length === 0 ? { message } : { message, error: "subnets not bootstrapped" };
  };
}
