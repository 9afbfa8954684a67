import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { partitionOf } from "../../shared/partitions.ts";
import { byteArray } from "../../shared/pg-arrays.ts";
import type { Session } from "../../shared/writer.ts";
import type { EncodedBlock } from "../decode/encoded-block.ts";

/**
 * One probe of the index of hashes for each hash. With `= ANY` or `EXISTS`, PostgreSQL may read the whole table instead. Names the
 * partition: until PostgreSQL has statistics of a new one, it expects a condition on the chain id to be as selective as one on the hash,
 * and reads all rows of the chain for each hash. The condition on the chain id is for the extension Citus, which sends the statement to the worker
 * of the chain. It names the id many times, so that PostgreSQL expects it to select most rows.
 */
const storedOf = (chainId: string): string => `SELECT encode(k.hash, 'hex') AS hash FROM unnest($1::bytea[]) AS k(hash)
  WHERE (SELECT count(*) FROM ${partitionOf("evm_transactions", chainId)}
    WHERE tx_hash = k.hash AND chain_id = ANY ($2::bigint[])) > 0 LIMIT 1`;

/** With so many, PostgreSQL expects the condition on the chain id to select nearly all rows. */
const ID_COPIES = 1_000;

/**
 * Throws `BadUpstreamData` if a transaction of the blocks is already stored, or is twice in the blocks. The index of hashes is not
 * unique, because it would be three times as large. One statement.
 */
export async function requireNewTransactions(
  session: Session,
  chainId: string,
  blocks: readonly Pick<EncodedBlock, "number" | "transactionHashes">[],
): Promise<void> {
  const numbers = new Map<string, number>();
  for (const { number, transactionHashes } of blocks)
    for (const hash of transactionHashes) {
      if (numbers.has(hash)) throw duplicate(number, hash);
      numbers.set(hash, number);
    }
  if (numbers.size === 0) return;
  const [stored] = await session.query<{ hash: string }>(storedOf(chainId), [
    byteArray([...numbers.keys()]),
    `{${Array(ID_COPIES).fill(chainId)}}`,
  ]);
  if (stored) throw duplicate(numbers.get(stored.hash), stored.hash);
}

const duplicate = (number: number | undefined, hash: string): BadUpstreamData =>
  new BadUpstreamData(`block ${number} cannot be stored: its transaction 0x${hash} is already stored in another place`);
