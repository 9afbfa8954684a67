import type { PrimaryChain } from "../../../../../core/networks/primary-chains.ts";
import { pgBytes } from "../../../../shared/pg-bytes.ts";
import type { Session } from "../../../../shared/writer.ts";
import type { RowOf } from "../tables.ts";
import { type InputRow, SPENDER_COLUMNS, type Spender, type StoredInput, storedInput } from "./spending.ts";

/**
 * What consensus accepted although the rows contradict it: an input whose output does not exist, an input whose output is spent
 * already, or an effect on something that does not exist.
 */
export type ExceptionKind = "MISSING_INPUT" | "SPENT_INPUT" | "NO_EFFECT";
export type ExceptionRow = RowOf<"primary_exceptions">;

/** `exception_index` of an exception that is not about an input. */
const OF_EFFECT = -1;

/** The exception of an input. */
export function inputException(spender: Spender, inputIndex: number, utxoId: string, kind: ExceptionKind) {
  const { chain, tx_seq, tx_hash } = spender;
  return { chain, tx_seq, exception_index: inputIndex, tx_hash, utxo_id: utxoId, kind } satisfies ExceptionRow;
}

/** The exception of a transaction whose effect is left out. */
export function effectException(chain: PrimaryChain, txSeq: number, txHash: string): ExceptionRow {
  return {
    chain,
    tx_seq: txSeq,
    exception_index: OF_EFFECT,
    tx_hash: txHash,
    utxo_id: null,
    kind: "NO_EFFECT",
  };
}

/** The number of exceptions of each chain, and the outputs that are missing. */
export interface StoredExceptions {
  readonly counts: Record<PrimaryChain, number>;
  /** Ids of outputs that a transaction consumed and that do not exist yet. */
  readonly missing: Set<string>;
}

export const NO_EXCEPTIONS: Readonly<Record<PrimaryChain, number>> = { P: 0, X: 0, C: 0 };

export async function loadExceptions(session: Session, networkId: number): Promise<StoredExceptions> {
  const counts = { ...NO_EXCEPTIONS };
  const rows = await session.query<{ chain: PrimaryChain; count: string }>(
    "SELECT chain, count(*) AS count FROM primary_exceptions WHERE network_id = $1 GROUP BY chain",
    [networkId],
  );
  for (const { chain, count } of rows) counts[chain] = Number(count);
  const missing = await session.query<{ id: string }>(
    "SELECT encode(utxo_id, 'hex') AS id FROM primary_exceptions WHERE network_id = $1 AND kind = 'MISSING_INPUT'",
    [networkId],
  );
  return { counts, missing: new Set(missing.map(({ id }) => id)) };
}

/** The inputs that consumed these outputs before they were created, in the order of the chain. */
export async function loadEarlyInputs(
  session: Session,
  networkId: number,
  utxoIds: readonly string[],
): Promise<StoredInput[]> {
  const rows = await session.query<InputRow>(
    `SELECT encode(e.utxo_id, 'hex') AS id, e.exception_index AS input_index, ${SPENDER_COLUMNS}
     FROM primary_exceptions e
       JOIN primary_transactions t ON t.network_id = $1 AND t.chain = e.chain AND t.tx_seq = e.tx_seq
     WHERE e.network_id = $1 AND e.kind = 'MISSING_INPUT' AND e.utxo_id = ANY ($2)
     ORDER BY t.chain, t.tx_seq, e.exception_index`,
    [networkId, utxoIds.map(pgBytes)],
  );
  return rows.map(storedInput);
}

/** Deletes the exception of an input whose output was created. */
export async function deleteException(
  session: Session,
  networkId: number,
  { spender, inputIndex }: StoredInput,
): Promise<void> {
  await session.query(
    "DELETE FROM primary_exceptions WHERE network_id = $1 AND chain = $2 AND tx_seq = $3 AND exception_index = $4",
    [networkId, spender.chain, spender.tx_seq, inputIndex],
  );
}

/** Changes the exception of an input whose output was created, but which another transaction consumed. */
export async function markSpent(
  session: Session,
  networkId: number,
  { spender, inputIndex }: StoredInput,
): Promise<void> {
  await session.query(
    `UPDATE primary_exceptions SET kind = 'SPENT_INPUT'
     WHERE network_id = $1 AND chain = $2 AND tx_seq = $3 AND exception_index = $4`,
    [networkId, spender.chain, spender.tx_seq, inputIndex],
  );
}
