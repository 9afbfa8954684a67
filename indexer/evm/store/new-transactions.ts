import { BadUpstreamData } from "../../../core/errors.ts";
import type { Session } from "../../shared/writer.ts";
import type { BlockRows } from "../decode/block.ts";
import { COLUMNS } from "../decode/columns.ts";

const HASH = COLUMNS.evm_transactions.indexOf("tx_hash");

/**
 * One probe of the index for each hash. With `= ANY` or `EXISTS`, PostgreSQL may read the whole table instead. With LIMIT for each hash, it
 * reads the table for each hash until it has statistics of a new table: without these, it expects many rows with the same hash.
 */
const STORED = `SELECT '\\x' || encode(k.hash, 'hex') AS hash FROM unnest($2::bytea[]) AS k(hash)
  WHERE (SELECT count(*) FROM evm_transactions WHERE chain_id = $1 AND tx_hash = k.hash) > 0 LIMIT 1`;

/** The rows of a block's transactions. */
interface BlockTransactions extends Pick<BlockRows, "number"> {
  readonly rows: Pick<BlockRows["rows"], "evm_transactions">;
}

/**
 * Throws `BadUpstreamData` if a transaction of the blocks is already stored, or is twice in the blocks. The index of hashes is not
 * unique, because it would be three times as large. One statement.
 */
export async function requireNewTransactions(
  session: Session,
  chainId: string,
  blocks: readonly BlockTransactions[],
): Promise<void> {
  const numbers = new Map<string, number>();
  for (const { number, rows } of blocks)
    for (const row of rows.evm_transactions) {
      const hash = row[HASH] as string;
      if (numbers.has(hash)) throw duplicate(number, hash);
      numbers.set(hash, number);
    }
  if (numbers.size === 0) return;
  const [stored] = await session.query<{ hash: string }>(STORED, [chainId, [...numbers.keys()]]);
  if (stored) throw duplicate(numbers.get(stored.hash), stored.hash);
}

const duplicate = (number: number | undefined, hash: string): BadUpstreamData =>
  new BadUpstreamData(
    `block ${number} cannot be stored: duplicate key: its transaction 0x${hash.slice(2)} is already stored`,
  );
