import type { Session } from "../../../shared/writer.ts";
import { addToPeriods } from "./period-figures.ts";

/**
 * Counts the new contracts of these blocks again, after their rows of `evm_deployments` were replaced, and corrects the figures
 * of the blocks and their periods. The caller's transaction must have locked the
 * chain's row in `chain_heads`.
 */
export async function recountContracts(session: Session, chainId: string, numbers: readonly number[]): Promise<void> {
  if (numbers.length === 0) return;
  const changed = await session.query<{ block_timestamp: string; added: string }>(
    `WITH counted AS (
       SELECT block_number, (SELECT count(*) FROM evm_deployments d
         WHERE d.chain_id = $1 AND d.block_number = a.block_number) - new_contracts AS added
       FROM evm_block_activity a WHERE chain_id = $1 AND block_number = ANY ($2::bigint[])
     )
     UPDATE evm_block_activity a SET new_contracts = a.new_contracts + counted.added
     FROM counted WHERE a.chain_id = $1 AND a.block_number = counted.block_number AND counted.added <> 0
     RETURNING a.block_timestamp, counted.added`,
    [chainId, numbers],
  );
  await addToPeriods(
    session,
    chainId,
    changed.map(({ block_timestamp, added }) => ({
      timestamp: Number(block_timestamp),
      active: [],
      new_contracts: BigInt(added),
    })),
  );
}
