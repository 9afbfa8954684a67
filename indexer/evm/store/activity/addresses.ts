import type { Session } from "../../../shared/writer.ts";
import { PARTICIPANTS } from "./participants.ts";

/** What some blocks change in the row of an address. */
export interface AddressChange {
  readonly firstBlock: number;
  lastBlock: number;
  lastTimestamp: number;
  transactions: number;
}

/** When each of the addresses (PostgreSQL's text form) was last active, in seconds; addresses without activity are absent. */
export async function lastActivity(
  session: Session,
  chainId: string,
  addresses: readonly string[],
): Promise<Map<string, number>> {
  if (addresses.length === 0) return new Map();
  const rows = await session.query<{ address: string; timestamp: string }>(
    `SELECT '\\x' || encode(known.address, 'hex') AS address, known.last_block_timestamp AS timestamp
     FROM unnest($2::bytea[]) AS asked (address), LATERAL (
       SELECT address, last_block_timestamp FROM evm_addresses WHERE chain_id = $1 AND address = asked.address LIMIT 1
     ) AS known`,
    [chainId, addresses],
  );
  return new Map(rows.map(({ address, timestamp }) => [address, Number(timestamp)]));
}

/** Inserts or updates the rows of addresses after blocks that follow all stored ones. */
export async function upsertAddresses(
  session: Session,
  chainId: string,
  changes: ReadonlyMap<string, AddressChange>,
): Promise<void> {
  if (changes.size === 0) return;
  const values = [...changes.values()];
  await session.query(
    `INSERT INTO evm_addresses AS known
       (chain_id, address, first_block_number, last_block_number, last_block_timestamp, transaction_count)
     SELECT $1, * FROM unnest($2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
     ON CONFLICT (chain_id, address) DO UPDATE SET last_block_number = excluded.last_block_number,
       last_block_timestamp = excluded.last_block_timestamp,
       transaction_count = known.transaction_count + excluded.transaction_count`,
    [
      chainId,
      [...changes.keys()],
      values.map(({ firstBlock }) => firstBlock),
      values.map(({ lastBlock }) => lastBlock),
      values.map(({ lastTimestamp }) => lastTimestamp),
      values.map(({ transactions }) => transactions),
    ],
  );
}

/** An address of removed blocks, and the number of its transactions in them. */
export interface RemovedAddress {
  /** PostgreSQL's text form. */
  readonly address: string;
  readonly transactions: string;
}

/** The addresses that are active in blocks above `ancestor`. */
export async function addressesAbove(session: Session, chainId: string, ancestor: number): Promise<RemovedAddress[]> {
  return session.query<{ address: string; transactions: string }>(
    `SELECT '\\x' || encode(p.address, 'hex') AS address, count(*) AS transactions
     FROM evm_transactions t, LATERAL ${PARTICIPANTS} AS p
     WHERE t.chain_id = $1 AND t.block_number > $2 AND p.address IS NOT NULL GROUP BY p.address`,
    [chainId, ancestor],
  );
}

/**
 * Restores the rows of these addresses as they were after block `ancestor`. The transactions of later blocks must be deleted
 * already. An address is read with one entry of each of three indexes, however many transactions it has.
 */
export async function restoreAddresses(
  session: Session,
  chainId: string,
  ancestor: number,
  removed: readonly RemovedAddress[],
): Promise<void> {
  if (removed.length === 0) return;
  const addresses = removed.map(({ address }) => address);
  await session.query(
    "DELETE FROM evm_addresses WHERE chain_id = $1 AND address = ANY ($2::bytea[]) AND first_block_number > $3",
    [chainId, addresses, ancestor],
  );
  await session.query(
    `UPDATE evm_addresses known SET transaction_count = known.transaction_count - removed.transactions,
       last_block_number = removed.block_number, last_block_timestamp = removed.block_timestamp
     FROM (SELECT r.address, r.transactions, last.* FROM unnest($2::bytea[], $3::bigint[]) AS r (address, transactions), LATERAL (
       SELECT * FROM (${lastWhere("from_address = r.address")} UNION ALL ${lastWhere("to_address = r.address")}
         UNION ALL ${lastWhere("contract_address = r.address AND tx_status = 1")}) AS activity
       ORDER BY block_number DESC LIMIT 1) AS last) AS removed
     WHERE known.chain_id = $1 AND known.address = removed.address`,
    [chainId, addresses, removed.map(({ transactions }) => transactions)],
  );
}

const lastWhere = (condition: string): string => `(SELECT block_number, block_timestamp FROM evm_transactions
  WHERE chain_id = $1 AND ${condition} ORDER BY block_number DESC LIMIT 1)`;
