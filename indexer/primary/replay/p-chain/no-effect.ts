import type { Batch } from "../store/batch.ts";
import { effectException } from "../store/outputs/exceptions.ts";

/**
 * A transaction that consensus accepted acts on something that, by the rows, does not exist or is in another state. Thrown before anything
 * is changed.
 */
export class NoEffect extends Error {
  override readonly name = "NoEffect";
}

/** The transaction that has an effect. */
interface EffectiveTransaction {
  readonly batch: Batch;
  readonly txSeq: number;
  readonly txId: string;
}

/** Returns the result of an effect. If it throws `NoEffect`, records the exception and returns null. */
export function ifPossible<Result>({ batch, txSeq, txId }: EffectiveTransaction, effect: () => Result): Result | null {
  try {
    return effect();
  } catch (error) {
    if (!(error instanceof NoEffect)) throw error;
    batch.except(effectException("P", txSeq, txId));
    return null;
  }
}
