import type pg from "pg";
import { formatAddress } from "../../../core/formats/bech32.ts";
import { formatNodeId } from "../../../core/formats/id-text.ts";
import { MAX_ADDRESSES } from "../../../subgraphs/primary-network/networks/addresses.ts";

/** Number of copies of the recorded rows. Each copy has its own ids. */
const COPIES = 200;
/** Number of copies with the recorded owners, so that every page is full. The other copies have their own owners. */
const OF_THE_SAME = 2;
/** Maximum number of outputs of each transaction of the wallet in the requests, so that the wallet is typical. */
const MOST_OUTPUTS = 50;
/**
 * Number of lists of addresses. Each has addresses whose last transaction is older than that of those in the next list, so that the pages of
 * all lists have more IDs than a server keeps the texts of.
 */
const LISTS = 100;
/** Distance between two copies: more than the number of recorded transactions, stakers, blocks and seconds. */
const SPAN = 1_000;

const shifted = (column: string): string => `${column} + n * ${SPAN}`;
const hashed = (column: string): string => `sha256(${column} || int4send(n))`;
const owner = (column: string): string =>
  `CASE WHEN n <= ${OF_THE_SAME} THEN ${column} ELSE substring(${hashed(column)}, 1, 20) END`;
const each = (column: string, change: (column: string) => string): string =>
  `ARRAY(SELECT ${change("one")} FROM unnest(${column}) WITH ORDINALITY AS k(one, place) ORDER BY place)`;

type Change = (column: string) => string;

const named = (change: Change, ...columns: readonly string[]): Record<string, string> =>
  Object.fromEntries(columns.map((column) => [column, change(column)]));

/** Columns that differ in a copy, by table. Positions and times increase and ids change; nodes and assets stay the same. */
const CHANGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  primary_transactions: {
    ...named(shifted, "tx_seq", "block_number", "block_timestamp", "start_timestamp", "end_timestamp"),
    ...named(hashed, "tx_hash", "block_hash", "staking_tx_hash"),
    ...named((column) => each(column, hashed), "consumed_utxo_ids", "emitted_utxo_ids"),
    ...named((column) => each(column, owner), "reward_addresses"),
  },
  primary_address_transactions: { ...named(shifted, "tx_seq", "block_timestamp"), ...named(owner, "address") },
  utxos: {
    ...named(shifted, "created_block_number", "created_timestamp", "consumed_block_number", "consumed_timestamp"),
    ...named(shifted, "stake_start", "stake_end"),
    ...named(hashed, "utxo_id", "tx_hash", "consumed_tx_hash"),
    ...named((column) => each(column, owner), "addresses"),
  },
  stakers: {
    ...named(shifted, "staker_seq", "start_timestamp", "end_timestamp", "ended_timestamp"),
    ...named(hashed, "tx_hash", "validator_tx_hash", "reward_tx_hash", "remove_tx_hash"),
    ...named((column) => each(column, owner), "reward_addresses"),
  },
};

const COLUMNS =
  "SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1 ORDER BY ordinal_position";

/** Addresses, nodes and times for the requests of the bench to the primary network. Addresses and nodes are text. */
export interface PrimarySubject {
  /** An address with P-Chain transactions for several full pages, and some dozens of outputs. */
  readonly wallet: string;
  /** Lists of as many addresses as a request may have, drawn from those of all copies, with different transactions. */
  readonly wallets: readonly (readonly string[])[];
  /** A node with validations for several full pages, with and without delegations. */
  readonly node: string;
  /** The time by which about half of the wallet's recorded outputs were created. */
  readonly timestamp: string;
}

/** Adds copies of the recorded network's rows. */
export async function fillPrimary(client: pg.Client): Promise<PrimarySubject> {
  const subject = await subjectOf(client);
  for (const [table, changes] of Object.entries(CHANGES)) await copyRows(client, table, changes);
  // The copies are later than the last recorded block.
  await client.query(`UPDATE primary_heads SET block_timestamp = block_timestamp + ${COPIES * SPAN}`);
  return { ...subject, wallets: await walletsOf(client) };
}

async function copyRows(client: pg.Client, table: string, changes: Readonly<Record<string, string>>): Promise<void> {
  const { rows } = await client.query<{ name: string }>(COLUMNS, [table]);
  const names = rows.map(({ name }) => name);
  const values = names.map((name) => changes[name] ?? name);
  await client.query(`INSERT INTO ${table} (${names.join(", ")})
    SELECT ${values.join(", ")} FROM ${table}, generate_series(1, ${COPIES}) n`);
}

const WALLETS = `WITH owners AS MATERIALIZED (
    SELECT address, rank() OVER (ORDER BY max(tx_seq)) AS age
    FROM primary_address_transactions JOIN primary_transactions USING (network_id, chain, tx_seq)
    WHERE chain = 'P' GROUP BY address HAVING max(cardinality(emitted_utxo_ids)) <= ${MOST_OUTPUTS}
  )
  SELECT n, encode(address, 'hex') AS address, hrp FROM primary_networks, generate_series(1, ${LISTS}) n, LATERAL (
    SELECT address FROM owners WHERE age <= ${2 * MAX_ADDRESSES} + n * (SELECT count(*) - ${2 * MAX_ADDRESSES} FROM owners) / ${LISTS}
    ORDER BY sha256(address || int4send(n)) LIMIT ${MAX_ADDRESSES}
  ) drawn`;

async function walletsOf(client: pg.Client): Promise<string[][]> {
  const { rows } = await client.query<Pick<Found, "address" | "hrp"> & { readonly n: number }>(WALLETS);
  const lists = Array.from({ length: LISTS }, (): string[] => []);
  for (const { n, address, hrp } of rows) lists[n - 1]?.push(formatAddress({ chain: null, prefix: hrp, address }));
  return lists;
}

const SUBJECT = `SELECT encode(wallet.address, 'hex') AS address, encode(node.node_id, 'hex') AS node, hrp, (
    SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY created_timestamp) FROM utxos
    WHERE created_on_chain = 'P' AND wallet.address = ANY (addresses)
  ) AS timestamp
  FROM primary_networks, (
    SELECT address FROM primary_address_transactions JOIN primary_transactions USING (network_id, chain, tx_seq)
    WHERE chain = 'P' GROUP BY address HAVING max(cardinality(emitted_utxo_ids)) <= ${MOST_OUTPUTS}
    ORDER BY count(*) DESC, address LIMIT 1
  ) wallet, (
    SELECT node_id FROM stakers WHERE kind = 'VALIDATOR'
    GROUP BY node_id ORDER BY count(*) DESC, node_id LIMIT 1
  ) node`;

type Found = { readonly address: string; readonly node: string; readonly hrp: string; readonly timestamp: string };

async function subjectOf(client: pg.Client): Promise<Omit<PrimarySubject, "wallets">> {
  const { rows } = await client.query<Found>(SUBJECT);
  if (!rows[0]) throw new Error("the recording has no primary network");
  const { address, node, hrp, timestamp } = rows[0];
  return { wallet: formatAddress({ chain: null, prefix: hrp, address }), node: formatNodeId(node), timestamp };
}
