import { allEnded } from "../../../shared/all-ended.ts";
import { byteArray, numberArray } from "../../../shared/pg-arrays.ts";
import { copiesOf } from "../../../shared/table-rows.ts";
import type { Session } from "../../../shared/writer.ts";
import { PARTICIPANTS } from "./participants.ts";

/** What some blocks change in the row of an address. */
export interface AddressChange {
  /** Whether the address has a row. */
  isKnown: boolean;
  readonly firstBlock: number;
  lastBlock: number;
  lastTimestamp: number;
  transactions: number;
}

/** When each of the addresses (hex without `0x`) was last active, in seconds; null without activity. */
export async function lastActivity(
  session: Session,
  chainId: string,
  addresses: readonly string[],
): Promise<(number | null)[]> {
  if (addresses.length === 0) return [];
  const rows = await session.query<{ timestamp: string | null }>(
    `SELECT known.last_block_timestamp AS timestamp FROM unnest($2::bytea[]) WITH ORDINALITY AS asked (address, i)
     LEFT JOIN evm_addresses known ON known.chain_id = $1 AND known.address = asked.address ORDER BY i`,
    [chainId, byteArray(addresses)],
  );
  return rows.map(({ timestamp }) => (timestamp === null ? null : Number(timestamp)));
}

/**
 * Inserts or updates the rows of addresses after blocks that follow all stored ones. One COPY and one UPDATE, which together
 * take less time than one INSERT ... ON CONFLICT.
 */
export async function writeAddresses(
  session: Session,
  chainId: string,
  changes: ReadonlyMap<string, AddressChange>,
): Promise<void> {
  const added = [...changes].filter(([, { isKnown }]) => !isKnown);
  const known = [...changes].filter(([, { isKnown }]) => isKnown);
  await allEnded({
    added: session.copy(copiesOf("evm_addresses", chainId, added.map(rowOf))),
    known: updateAddresses(session, chainId, known),
  });
}

async function updateAddresses(
  session: Session,
  chainId: string,
  known: readonly (readonly [string, AddressChange])[],
): Promise<void> {
  if (known.length === 0) return;
  await session.query(
    `UPDATE evm_addresses known SET last_block_number = changed.last_block, last_block_timestamp = changed.last_timestamp,
       transaction_count = known.transaction_count + changed.transactions
     FROM unnest($2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[])
       AS changed (address, last_block, last_timestamp, transactions)
     WHERE known.chain_id = $1 AND known.address = changed.address`,
    [
      chainId,
      byteArray(known.map(([address]) => address)),
      numberArray(known.map(([, { lastBlock }]) => lastBlock)),
      numberArray(known.map(([, { lastTimestamp }]) => lastTimestamp)),
      numberArray(known.map(([, { transactions }]) => transactions)),
    ],
  );
}

const rowOf = ([address, change]: readonly [string, AddressChange]) => ({
  address,
  first_block_number: change.firstBlock,
  last_block_number: change.lastBlock,
  last_block_timestamp: change.lastTimestamp,
  transaction_count: change.transactions,
});

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
     WHERE t.chain_id = $1 AND t.block_number > $2::bigint AND p.address IS NOT NULL GROUP BY p.address`,
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
     FROM (
       SELECT r.address, r.transactions, last.*
       FROM unnest($2::bytea[], $3::bigint[]) AS r (address, transactions),
         LATERAL (
           SELECT * FROM (
             ${lastWhere("from_address = r.address")}
             UNION ALL ${lastWhere("to_address = r.address")}
             UNION ALL ${lastWhere("contract_address = r.address AND tx_status = 1")}
           ) AS activity
           ORDER BY block_number DESC LIMIT 1
         ) AS last
     ) AS removed
     WHERE known.chain_id = $1 AND known.address = removed.address`,
    [chainId, addresses, removed.map(({ transactions }) => transactions)],
  );
}

const lastWhere = (condition: string): string => `(SELECT block_number, block_timestamp FROM evm_transactions
  WHERE chain_id = $1 AND ${condition} ORDER BY block_number DESC LIMIT 1)`;
