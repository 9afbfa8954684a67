import { byteArray, numberArray } from "../../../shared/pg-arrays.ts";
import type { Session } from "../../../shared/writer.ts";

/** Tables of the current number of transfers and holders of each token that was transferred. */
export type CountTable = "erc20_counts" | "nft_counts";

/** The tables of the supplies, which have the holders, and of the transfers, from which the counters follow. */
const SOURCES = {
  erc20_counts: { supplies: "erc20_supplies", transfers: ["erc20_transfers"] },
  nft_counts: { supplies: "nft_supplies", transfers: ["erc721_transfers", "erc1155_transfers"] },
} as const;

/** The number of holders after the last block that changed it. */
const holdersOf = (supplies: string): string => `coalesce((SELECT s.holder_count FROM ${supplies} s
    WHERE s.chain_id = $1 AND s.token_address = k.token_address ORDER BY s.block_number DESC LIMIT 1), 0)`;

/** A token that has only balances, and no transfer, has no row. */
const addTo = (
  table: CountTable,
): string => `INSERT INTO ${table} AS c (chain_id, token_address, transfer_count, holder_count)
  SELECT $1, k.token_address, k.transfers, ${holdersOf(SOURCES[table].supplies)}
  FROM unnest($2::bytea[], $3::bigint[]) AS k (token_address, transfers)
  WHERE k.transfers <> 0 OR EXISTS (SELECT FROM ${table} known WHERE known.chain_id = $1 AND known.token_address = k.token_address)
  ON CONFLICT (chain_id, token_address) DO UPDATE
    SET transfer_count = c.transfer_count + excluded.transfer_count, holder_count = excluded.holder_count
    WHERE excluded.transfer_count <> 0 OR excluded.holder_count <> c.holder_count`;

/**
 * Adds transfers to the counters of tokens (hex without `0x`), and sets their numbers of holders to those of the stored supplies. `tokens`
 * are further tokens whose supplies have changed. One statement.
 */
export async function addTokenCounts(
  session: Session,
  table: CountTable,
  chainId: string,
  transfers: ReadonlyMap<string, number>,
  tokens: Iterable<string> = [],
): Promise<void> {
  // In one order, so that neighbours are found in the same page of the index.
  const changed = [...new Set([...transfers.keys(), ...tokens])].sort();
  if (changed.length === 0) return;
  const counts = changed.map((token) => transfers.get(token) ?? 0);
  await session.query(addTo(table), [chainId, byteArray(changed), numberArray(counts)]);
}

/** How many transfers of each token (hex without `0x`) are in blocks above `ancestor`, as negative numbers. */
export async function removedTransfers(
  session: Session,
  table: CountTable,
  chainId: string,
  ancestor: number,
): Promise<Map<string, number>> {
  const parts = SOURCES[table].transfers.map(
    (transfers) => `SELECT token_address FROM ${transfers} WHERE chain_id = $1 AND block_number > $2::bigint`,
  );
  const rows = await session.query<{ token: string; transfers: string }>(
    `SELECT encode(token_address, 'hex') AS token, count(*) AS transfers FROM (${parts.join(" UNION ALL ")}) AS removed
     GROUP BY token_address`,
    [chainId, ancestor],
  );
  return new Map(rows.map(({ token, transfers }) => [token, -Number(transfers)]));
}

/**
 * Subtracts the removed transfers (`removedTransfers`), and sets the numbers of holders to those of the stored supplies. Deletes the tokens
 * that have no transfer left. Two statements.
 */
export async function removeTokenCounts(
  session: Session,
  table: CountTable,
  chainId: string,
  removed: ReadonlyMap<string, number>,
  tokens: Iterable<string> = [],
): Promise<void> {
  await addTokenCounts(session, table, chainId, removed, tokens);
  if (removed.size === 0) return;
  await session.query(
    `DELETE FROM ${table} WHERE chain_id = $1 AND token_address = ANY ($2::bytea[]) AND transfer_count = 0`,
    [chainId, byteArray([...removed.keys()])],
  );
}
