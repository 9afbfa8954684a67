import type pg from "pg";
import { formatId } from "../../../core/formats/id-text.ts";
import { consensusExceptions } from "../network/consensus-exceptions.ts";
import type { ExceptionKind } from "../replay/store/outputs/exceptions.ts";

/** Number of exceptions that are printed. */
const SHOWN = 20;

const TEXTS: Readonly<Record<ExceptionKind, string>> = {
  MISSING_INPUT: "does not exist",
  SPENT_INPUT: "is consumed by another transaction",
  NO_EFFECT: "acts on something that does not exist or is in another state",
};

interface Row {
  readonly chain: string;
  readonly kind: ExceptionKind;
  readonly tx_hash: Buffer;
  readonly utxo_id: Buffer | null;
  readonly count: string;
}

/** The number of a network's exceptions, and one line for each of the first ones. */
export async function readExceptions(
  pool: pg.Pool,
  networkId: number,
): Promise<{ readonly count: number; readonly lines: readonly string[] }> {
  const { rows } = await pool.query<Row>(
    `SELECT chain, kind, tx_hash, utxo_id, count(*) OVER () AS count FROM primary_exceptions
     WHERE network_id = $1 ORDER BY chain, tx_seq, exception_index LIMIT $2`,
    [networkId, SHOWN],
  );
  const known = consensusExceptions(networkId).transactions;
  const lines = rows.map(({ chain, kind, tx_hash, utxo_id }) => {
    const transaction = formatId(tx_hash.toString("hex"));
    const subject = utxo_id === null ? "" : `, input ${formatId(utxo_id.toString("hex"))}`;
    const reason = known[transaction];
    return `${chain}-Chain transaction ${transaction}${subject}: ${TEXTS[kind]}${reason ? ` (${reason})` : ""}`;
  });
  return { count: Number(rows[0]?.count ?? 0), lines };
}
