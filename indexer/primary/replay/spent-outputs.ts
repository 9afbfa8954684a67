import { utxoId } from "../../../core/codec/bytes/hashes.ts";
import type { DecodedEntry } from "../decode/entries.ts";
import { stakedIds } from "./p-chain/payout.ts";
import { isRewarding } from "./p-chain/stakers.ts";
import type { PState } from "./p-chain/state.ts";

interface SpentOutput {
  readonly txId: string;
  readonly outputIndex: number;
}

/** The inputs that a transaction of any chain may have. */
interface TransactionInputs {
  readonly txType: string;
  readonly txId?: string;
  readonly inputs?: readonly SpentOutput[];
  readonly importedInputs?: readonly SpentOutput[];
  readonly operations?: readonly { readonly inputIds: readonly SpentOutput[] }[];
}

/** Ids of the outputs that these entries, and the decision on the open proposal, spend or return from a stake. May repeat ids. */
export function* spentInEntries(
  { proposal, stakers }: Pick<PState, "proposal" | "stakers">,
  entries: readonly DecodedEntry[],
): Generator<string> {
  const proposed: readonly TransactionInputs[] = proposal ? [proposal.tx] : [];
  const transactions = entries.flatMap((one): readonly TransactionInputs[] =>
    "vertex" in one ? one.vertex.transactions : one.block.transactions,
  );
  for (const tx of [...proposed, ...transactions]) {
    yield* spentIds(tx);
    const staker = isRewarding(tx) && tx.txId ? stakers.get(tx.txId) : undefined;
    if (staker) yield* stakedIds(staker);
  }
}

/** Ids of the outputs that a transaction spends. */
export function* spentIds(tx: TransactionInputs): Generator<string> {
  const inOperations = tx.operations?.flatMap(({ inputIds }) => inputIds) ?? [];
  for (const { txId, outputIndex } of [...(tx.inputs ?? []), ...(tx.importedInputs ?? []), ...inOperations])
    yield utxoId(txId, outputIndex);
}
