import { type Idle, idleUntil } from "../../shared/repeat-pages.ts";
import type { Session } from "../../shared/writer.ts";

/** Tables of what is read again. */
type DueTable = "nft_metadata" | "raw_token_answers";

/** There is no work before the next row of a chain is due. `nowSeconds` is in seconds since the epoch; rows that are due already do not count. */
export async function idleUntilDue(
  session: Session,
  table: DueTable,
  chainId: string,
  nowSeconds: number,
): Promise<Idle> {
  const [row] = await session.query<{ at: string | null }>(
    `SELECT min(next_attempt_at) AS at FROM ${table} WHERE chain_id = $1 AND next_attempt_at > $2`,
    [chainId, nowSeconds],
  );
  return idleUntil(row?.at ? Number(row.at) : null, nowSeconds);
}
