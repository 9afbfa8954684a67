import { pgBytes } from "../../../shared/pg-bytes.ts";
import type { Session } from "../../../shared/writer.ts";
import type { HolderChange } from "./holder-changes.ts";

/** Stores the highest balances that are above all earlier ones of the same holder. One statement. */
export async function storePeaks(session: Session, chainId: string, holders: readonly HolderChange[]): Promise<void> {
  const risen = holders.filter(({ highest, before }) => highest > 0n && highest > before);
  if (risen.length === 0) return;
  await session.query(
    `INSERT INTO erc20_peaks (chain_id, token_address, address, max_balance, block_number)
     SELECT $1, k.* FROM unnest($2::bytea[], $3::bytea[], $4::numeric[], $5::bigint[])
         AS k (token_address, address, max_balance, block_number)
       LEFT JOIN erc20_peaks p ON p.chain_id = $1 AND p.token_address = k.token_address AND p.address = k.address
     WHERE p.max_balance IS NULL OR p.max_balance < k.max_balance
     ON CONFLICT (chain_id, token_address, address)
       DO UPDATE SET max_balance = excluded.max_balance, block_number = excluded.block_number`,
    [
      chainId,
      risen.map(({ token }) => pgBytes(token)),
      risen.map(({ address }) => pgBytes(address)),
      risen.map(({ highest }) => highest.toString()),
      risen.map(({ highestBlock }) => highestBlock),
    ],
  );
}

/**
 * Restores the highest balances that were reached above block `ancestor`, for these pairs of token and address (hex without
 * `0x`). Reads all balances that such a holder ever had.
 */
export async function restorePeaks(
  session: Session,
  chainId: string,
  ancestor: number,
  pairs: readonly (readonly [token: string, address: string])[],
): Promise<void> {
  if (pairs.length === 0) return;
  const tokens = pairs.map(([token]) => pgBytes(token));
  const addresses = pairs.map(([, address]) => pgBytes(address));
  const parameters = [chainId, tokens, addresses, ancestor];
  await session.query(
    `UPDATE erc20_peaks p SET max_balance = earlier.balance, block_number = earlier.block_number
     FROM unnest($2::bytea[], $3::bytea[]) AS k (token_address, address), LATERAL (
       SELECT balance, block_number FROM erc20_balances
       WHERE chain_id = $1 AND token_address = k.token_address AND address = k.address AND block_number <= $4 AND balance > 0
       ORDER BY balance DESC, block_number LIMIT 1) AS earlier
     WHERE p.chain_id = $1 AND p.token_address = k.token_address AND p.address = k.address AND p.block_number > $4`,
    parameters,
  );
  await session.query(
    `DELETE FROM erc20_peaks p USING unnest($2::bytea[], $3::bytea[]) AS k (token_address, address)
     WHERE p.chain_id = $1 AND p.token_address = k.token_address AND p.address = k.address AND p.block_number > $4`,
    parameters,
  );
}
