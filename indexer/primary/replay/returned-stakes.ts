import type { DecodedEntry } from "../decode/entries.ts";
import { stakedIds } from "./p-chain/payout.ts";
import { isRewarding } from "./p-chain/stakers.ts";
import type { PState } from "./p-chain/state.ts";

/** Ids of the stakes that the decisions on proposals in these entries, and on the open proposal, may return. May repeat ids. */
export function* stakesReturnedIn(
  { proposal, stakers }: Pick<PState, "proposal" | "stakers">,
  entries: readonly DecodedEntry[],
): Generator<string> {
  const last = entries.map((one) => ("vertex" in one ? undefined : one.block.transactions.at(-1)));
  for (const tx of [proposal?.tx, ...last]) {
    if (!tx) continue;
    const staker = isRewarding(tx) ? stakers.get(tx.txId) : undefined;
    if (staker) yield* stakedIds(staker);
  }
}
