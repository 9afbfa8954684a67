import type { Database } from "../../../core/database/database.ts";
import type { Failure } from "../../../core/errors/errors.ts";
import type { Work } from "../../../core/work/work.ts";
import type { NumbersOf } from "../chains/heads.ts";
import { createFindUnindexedChains, unindexedChain } from "../chains/require-indexed.ts";

/** The chains of a list over several chains. */
export interface ListedChains {
  /** EVM chain ids, each once. */
  readonly chainIds: readonly string[];
  /** True if a filter names the chains; false if the list is over all configured chains. */
  readonly areNamed: boolean;
}

/**
 * Returns a function that finds out which lists cannot be answered: those that name a chain of which no block is indexed, and those without any
 * other chain. It returns the failure `UNAVAILABLE` or null for each list. Sends a statement only if there is such a list.
 */
export function createUnindexedFailures(database: Pick<Database, "pool">) {
  const findUnindexed = createFindUnindexedChains(database);
  return async (lists: readonly ListedChains[], numbersOf: NumbersOf, work: Work): Promise<(Failure | null)[]> => {
    const required = lists.map((list) => requiredChain(list, numbersOf));
    const keys = [...new Set(required)].filter((chainId) => chainId !== null).map((chainId) => ({ chainId }));
    const found = keys.length === 0 ? [] : await findUnindexed(keys, work);
    const failures = new Map(found.map((chain) => [chain.chainId, unindexedChain(chain)]));
    return required.map((chainId) => failures.get(chainId ?? "") ?? null);
  };
}

/** The first chain without an indexed block that a list cannot leave out; null if there is none. */
function requiredChain({ chainIds, areNamed }: ListedChains, numbersOf: NumbersOf): string | null {
  const numbers = numbersOf(chainIds);
  const unindexed = chainIds.filter((_, at) => numbers[at] === "-1");
  return areNamed || unindexed.length === chainIds.length ? (unindexed[0] ?? null) : null;
}
