import type { Session } from "../../shared/writer.ts";

/** Tables of what is read again. */
type DueTable = "nft_metadata" | "raw_token_answers";

/** Returns when the next row of a chain is due after this time; null if none is. Both are in seconds since the epoch. */
export async function nextDueSeconds(
  session: Session,
  table: DueTable,
  chainId: string,
  afterSeconds: number,
): Promise<number | null> {
  const [row] = await session.query<{ at: string | null }>(
    `SELECT min(next_attempt_at) AS at FROM ${table} WHERE chain_id = $1 AND next_attempt_at > $2`,
    [chainId, afterSeconds],
  );
  return row?.at ? Number(row.at) : null;
}
