import { BadUpstreamData } from "../../../../core/errors.ts";
import { createPartitionsOf } from "../../../shared/partitions.ts";
import { pgBytes } from "../../../shared/pg-bytes.ts";
import type { Session, Writer } from "../../../shared/writer.ts";
import type { PrimaryChain } from "../../network/chains.ts";
import { countActive } from "../p-chain/l1.ts";
import { createStakerSet } from "../p-chain/staker-set.ts";
import type { PState } from "../p-chain/state.ts";
import type { Batch, Changing, Consumption } from "./batch.ts";
import { encoders, KEYS, type RowOf, TABLES, type Table } from "./columns.ts";

/** Version of the rules by which rows are made: rows of another version are made again from the raw store. */
export const ROWS_VERSION = 2;

/** Where the rows of a chain stand. */
export interface PrimaryHead {
  /** Last entry of the journal that is in the rows; of the C-Chain the last block. -1 before the first. */
  readonly journalSeq: number;
  /** -1 before the first block. */
  readonly blockNumber: number;
  readonly blockHash: string;
  /** What the next container names as its parent: the wrapping's id, or the block's own. Empty before the first. */
  readonly containerId: string;
  readonly blockTimestamp: number;
  /** Transactions so far: the next one's number. */
  readonly txCount: number;
}

export const NO_HEAD: PrimaryHead = {
  journalSeq: -1,
  blockNumber: -1,
  blockHash: "",
  containerId: "",
  blockTimestamp: 0,
  txCount: 0,
};

const ALL = Object.keys(TABLES) as Table[];
const isChanging = (table: Table): table is Changing => table in KEYS;

/** Makes the network's part of every table where it is missing. */
export async function createPartitions(writer: Pick<Writer, "transaction">, networkId: number): Promise<void> {
  await createPartitionsOf(writer, ALL, networkId);
}

/** Forgets every row of the network; the raw store stays. */
export async function clearRows(session: Session, networkId: number): Promise<void> {
  await session.query(`TRUNCATE ${ALL.map((table) => `${table}_${networkId}`).join(", ")}`);
  for (const table of ["primary_heads", "p_chain_states"])
    await session.query(`DELETE FROM ${table} WHERE network_id = $1`, [networkId]);
}

interface HeadRow {
  readonly chain: PrimaryChain;
  readonly journal_seq: string;
  readonly block_number: string;
  readonly block_hash: Buffer;
  readonly container_id: Buffer;
  readonly block_timestamp: string;
  readonly tx_count: string;
  readonly rows_version: number;
}

/** The heads of the chains; null where the rows are none or of another version. */
export async function loadHeads(
  session: Session,
  networkId: number,
): Promise<Record<PrimaryChain, PrimaryHead> | null> {
  const rows = await session.query<HeadRow & Record<string, unknown>>(
    "SELECT * FROM primary_heads WHERE network_id = $1",
    [networkId],
  );
  if (rows.length === 0 || rows.some(({ rows_version }) => rows_version !== ROWS_VERSION)) return null;
  const heads = { P: NO_HEAD, X: NO_HEAD, C: NO_HEAD };
  for (const row of rows)
    heads[row.chain] = {
      journalSeq: Number(row.journal_seq),
      blockNumber: Number(row.block_number),
      blockHash: row.block_hash.toString("hex"),
      containerId: row.container_id.toString("hex"),
      blockTimestamp: Number(row.block_timestamp),
      txCount: Number(row.tx_count),
    };
  return heads;
}

/** Moves a chain's watermark. */
export async function storeHead(
  session: Session,
  networkId: number,
  chain: PrimaryChain,
  head: PrimaryHead,
): Promise<void> {
  const { journalSeq, blockNumber, blockHash, containerId, blockTimestamp, txCount } = head;
  await session.query(
    `INSERT INTO primary_heads (network_id, chain, journal_seq, block_number, block_hash, container_id, block_timestamp, tx_count, rows_version)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (network_id, chain) DO UPDATE SET journal_seq = excluded.journal_seq, block_number = excluded.block_number,
       block_hash = excluded.block_hash, container_id = excluded.container_id,
       block_timestamp = excluded.block_timestamp, tx_count = excluded.tx_count, rows_version = excluded.rows_version`,
    [
      networkId,
      chain,
      journalSeq,
      blockNumber,
      pgBytes(blockHash),
      pgBytes(containerId),
      blockTimestamp,
      txCount,
      ROWS_VERSION,
    ],
  );
  const told = JSON.stringify({ networkId: String(networkId), chain, blockNumber: String(blockNumber) });
  await session.query("SELECT pg_notify('moraine_primary', $1)", [told]);
}

const STATE_COLUMNS = [
  "chain_timestamp",
  "current_supply",
  "fee_capacity",
  "fee_excess",
  "l1_fee_excess",
  "l1_accrued_fees",
  "active_l1_validators",
  "staker_count",
  "reward_count",
  "subnet_count",
  "blockchain_count",
  "l1_validator_count",
] as const;

/** Writes what of the P-Chain's state has no rows of its own. */
export async function storePState(session: Session, networkId: number, state: PState): Promise<void> {
  const { timestamp, currentSupply, gas, l1FeeExcess, l1AccruedFees, counts } = state;
  const values = [
    timestamp,
    currentSupply,
    gas.capacity,
    gas.excess,
    l1FeeExcess,
    l1AccruedFees,
    countActive(state),
    counts.stakers,
    counts.rewards,
    counts.subnets,
    counts.blockchains,
    counts.l1Validators,
  ];
  await session.query(
    `INSERT INTO p_chain_states (network_id, ${STATE_COLUMNS.join(", ")})
     VALUES ($1, ${STATE_COLUMNS.map((_, i) => `$${i + 2}`).join(", ")})
     ON CONFLICT (network_id) DO UPDATE SET ${STATE_COLUMNS.map((name) => `${name} = excluded.${name}`).join(", ")}`,
    [networkId, ...values.map(String)],
  );
}

/** The P-Chain's state as it was written last, without a proposal; null before the genesis. */
export async function loadPState(session: Session, networkId: number): Promise<PState | null> {
  const [row] = await session.query<Record<(typeof STATE_COLUMNS)[number], string>>(
    `SELECT ${STATE_COLUMNS.map((name) => `${name}::text`).join(", ")} FROM p_chain_states WHERE network_id = $1`,
    [networkId],
  );
  if (!row) return null;
  const stakers = await loadRows(session, "stakers", networkId, "status IN ('PENDING', 'ACTIVE') ORDER BY staker_seq");
  const subnets = await loadRows(session, "subnets", networkId, "true");
  const validators = await loadRows(session, "l1_validators", networkId, "NOT is_removed ORDER BY validator_seq");
  return {
    timestamp: Number(row.chain_timestamp),
    currentSupply: BigInt(row.current_supply),
    gas: { capacity: BigInt(row.fee_capacity), excess: BigInt(row.fee_excess) },
    l1FeeExcess: BigInt(row.l1_fee_excess),
    l1AccruedFees: BigInt(row.l1_accrued_fees),
    proposal: null,
    stakers: createStakerSet(stakers),
    subnets: new Map(subnets.map((subnet) => [subnet.subnet_id, subnet])),
    l1Validators: new Map(validators.map((validator) => [validator.validation_id, validator])),
    counts: {
      stakers: Number(row.staker_count),
      rewards: Number(row.reward_count),
      subnets: Number(row.subnet_count),
      blockchains: Number(row.blockchain_count),
      l1Validators: Number(row.l1_validator_count),
    },
  };
}

/** What a column of PostgreSQL is in a row of ours, by its type. */
const VALUES: Readonly<Record<string, (value: never) => unknown>> = {
  int: (value: string | number) => BigInt(value),
  bytes: (value: Buffer) => value.toString("hex"),
  "bytes[]": (values: readonly Buffer[]) => values.map((value) => value.toString("hex")),
};

async function loadRows<Name extends Changing>(
  session: Session,
  table: Name,
  networkId: number,
  where: string,
): Promise<RowOf<Name>[]> {
  const columns = Object.entries(TABLES[table]) as [string, string][];
  const rows = await session.query<Record<string, never>>(
    `SELECT ${columns.map(([name]) => name).join(", ")} FROM ${table} WHERE network_id = $1 AND ${where}`,
    [networkId],
  );
  return rows.map((row) => {
    const entries = columns.map(([name, type]) => {
      const value = row[name];
      const read = VALUES[type.replace("?", "")];
      return [name, value === null || !read ? value : read(value as never)];
    });
    return Object.fromEntries(entries) as RowOf<Name>; // the table's columns, by their types
  });
}

/** Owners of outputs, by the output's id; outputs that are not there are left out. */
export async function loadOwners(
  session: Session,
  networkId: number,
  utxoIds: readonly string[],
): Promise<Map<string, readonly string[]>> {
  if (utxoIds.length === 0) return new Map();
  const rows = await session.query<{ utxo_id: Buffer; addresses: Buffer[] }>(
    "SELECT utxo_id, addresses FROM utxos WHERE network_id = $1 AND utxo_id = ANY($2)",
    [networkId, utxoIds.map(pgBytes)],
  );
  return new Map(
    rows.map(({ utxo_id, addresses }) => [utxo_id.toString("hex"), addresses.map((one) => one.toString("hex"))]),
  );
}

/** Which of these transactions have rows already. */
export async function loadKnown(session: Session, networkId: number, txIds: readonly string[]): Promise<Set<string>> {
  const rows = await session.query<{ tx_hash: Buffer }>(
    "SELECT tx_hash FROM primary_transactions WHERE network_id = $1 AND tx_hash = ANY($2)",
    [networkId, txIds.map(pgBytes)],
  );
  return new Set(rows.map(({ tx_hash }) => tx_hash.toString("hex")));
}

/** Writes the rows of a batch. Throws `BadUpstreamData` when it spends what is not there. */
export async function storeBatch(session: Session, networkId: number, batch: Batch): Promise<void> {
  await storeDecided(session, networkId, batch);
  for (const table of ALL)
    if (!isChanging(table) && table !== "utxos") await copy(session, networkId, table, batch.added[table]);
  for (const table of Object.keys(KEYS) as Changing[]) await storeChanged(session, networkId, table, batch);
  const created = [...batch.created.values()];
  await copy(
    session,
    networkId,
    "utxos",
    created.filter(({ role }) => role !== "EXPORTED"),
  );
  await storeExported(
    session,
    networkId,
    created.filter(({ role }) => role === "EXPORTED"),
  );
  await storeStakeEnds(session, networkId, batch.stakeEnds);
  await storeConsumptions(session, networkId, batch.consumptions);
}

async function storeStakeEnds(session: Session, networkId: number, ends: ReadonlyMap<string, number>): Promise<void> {
  if (ends.size === 0) return;
  await session.query(
    `UPDATE utxos SET stake_end = e.stake_end FROM unnest($2::bytea[], $3::bigint[]) AS e(utxo_id, stake_end)
     WHERE utxos.network_id = $1 AND utxos.utxo_id = e.utxo_id`,
    [networkId, [...ends.keys()].map(pgBytes), [...ends.values()]],
  );
}

function texts(networkId: number, table: Table, row: object): (string | null)[] {
  return [String(networkId), ...encoders[table](row as Readonly<Record<string, unknown>>)];
}

const columnsOf = (table: Table): string[] => ["network_id", ...Object.keys(TABLES[table])];

async function copy(session: Session, networkId: number, table: Table, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  await session.copy(
    table,
    columnsOf(table),
    rows.map((row) => texts(networkId, table, row)),
  );
}

/** Rows as the one JSON parameter of `jsonb_populate_recordset`. */
function asJson(networkId: number, table: Table, rows: readonly object[]): string {
  const columns = columnsOf(table);
  return JSON.stringify(
    rows.map((row) => Object.fromEntries(texts(networkId, table, row).map((text, i) => [columns[i], text]))),
  );
}

async function storeChanged(session: Session, networkId: number, table: Changing, batch: Batch): Promise<void> {
  const rows = [...batch.changed[table].values()];
  if (rows.length === 0) return;
  const columns = columnsOf(table);
  await session.query(
    `INSERT INTO ${table} (${columns.join(", ")})
     SELECT ${columns.join(", ")} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)
     ON CONFLICT (network_id, ${KEYS[table]}) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(", ")}`,
    [asJson(networkId, table, rows)],
  );
}

/** Adds what decisions made to the rows of what was proposed. */
async function storeDecided(session: Session, networkId: number, { added, decided }: Batch): Promise<void> {
  const earlier = new Map(decided);
  for (const row of added.primary_transactions) {
    const made = row.chain === "P" && earlier.get(Number(row.tx_seq));
    if (!made) continue;
    row.emitted_utxo_ids = [...row.emitted_utxo_ids, ...made];
    earlier.delete(Number(row.tx_seq));
  }
  for (const [txSeq, made] of earlier)
    await session.query(
      `UPDATE primary_transactions SET emitted_utxo_ids = emitted_utxo_ids || $3::bytea[]
       WHERE network_id = $1 AND chain = 'P' AND tx_seq = $2`,
      [networkId, txSeq, made.map(pgBytes)],
    );
}

const CREATION = Object.keys(TABLES.utxos).filter((name) => !name.startsWith("consumed_"));

/** Exported outputs, which an import may have brought before. Then its transaction is listed under their owners now. */
async function storeExported(session: Session, networkId: number, rows: readonly RowOf<"utxos">[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = columnsOf("utxos");
  const known = await session.query<{ utxo_id: Buffer }>(
    `INSERT INTO utxos (${columns.join(", ")})
     SELECT ${columns.join(", ")} FROM jsonb_populate_recordset(NULL::utxos, $1::jsonb)
     ON CONFLICT (network_id, utxo_id) DO UPDATE SET ${CREATION.map((name) => `${name} = excluded.${name}`).join(", ")}
     WHERE utxos.created_timestamp IS NULL AND utxos.asset_id = excluded.asset_id AND utxos.amount = excluded.amount
     RETURNING utxo_id`,
    [asJson(networkId, "utxos", rows)],
  );
  if (known.length < rows.length)
    throw new BadUpstreamData("an output is exported that is there already, or was imported as another");
  await session.query(
    `INSERT INTO primary_address_transactions (network_id, chain, address, tx_seq, tx_type, block_timestamp)
     SELECT DISTINCT t.network_id, t.chain, owner, t.tx_seq, t.tx_type, t.block_timestamp
     FROM utxos u JOIN primary_transactions t ON t.network_id = u.network_id AND t.tx_hash = u.consumed_tx_hash,
       unnest(u.addresses) AS owner
     WHERE u.network_id = $1 AND u.utxo_id = ANY($2) AND u.consumed_tx_hash IS NOT NULL
     ON CONFLICT DO NOTHING`,
    [networkId, rows.map(({ utxo_id }) => pgBytes(utxo_id))],
  );
}

async function storeConsumptions(session: Session, networkId: number, all: readonly Consumption[]): Promise<void> {
  const own = all.filter(({ imported }) => !imported);
  const imported = all.filter((consumption) => consumption.imported);
  if (own.length > 0) {
    const updated = await session.query<{ utxo_id: Buffer }>(
      `UPDATE utxos SET consumed_tx_hash = c.tx_hash, consumed_block_number = c.block_number, consumed_timestamp = c.block_timestamp
       FROM unnest($2::bytea[], $3::bytea[], $4::bigint[], $5::bigint[]) AS c(utxo_id, tx_hash, block_number, block_timestamp)
       WHERE utxos.network_id = $1 AND utxos.utxo_id = c.utxo_id AND utxos.consumed_tx_hash IS NULL
         AND utxos.role <> 'EXPORTED' RETURNING utxos.utxo_id`,
      [networkId, ...consumed(own)],
    );
    if (updated.length < own.length) {
      const there = new Set(updated.map(({ utxo_id }) => utxo_id.toString("hex")));
      const missing = own.find(({ utxoId }) => !there.has(utxoId));
      throw new BadUpstreamData(
        `transaction ${missing?.txHash} spends output ${missing?.utxoId}, which is spent already or was never made`,
      );
    }
  }
  if (imported.length === 0) return;
  const rows = imported.map(({ utxoId, txHash, blockNumber, timestamp, imported: from }) => ({
    utxo_id: utxoId,
    output_type: "secp256k1fx.TransferOutput",
    locktime: 0,
    threshold: 0,
    addresses: [],
    stakeable_locktime: null,
    group_id: null,
    payload: null,
    role: "EXPORTED",
    reward_type: null,
    stake_start: null,
    stake_end: null,
    created_block_number: null,
    created_timestamp: null,
    consumed_tx_hash: txHash,
    consumed_block_number: blockNumber,
    consumed_timestamp: timestamp,
    ...from,
  }));
  const columns = columnsOf("utxos");
  const stored = await session.query(
    `INSERT INTO utxos (${columns.join(", ")})
     SELECT ${columns.join(", ")} FROM jsonb_populate_recordset(NULL::utxos, $1::jsonb)
     ON CONFLICT (network_id, utxo_id) DO UPDATE SET consumed_tx_hash = excluded.consumed_tx_hash,
       consumed_block_number = excluded.consumed_block_number, consumed_timestamp = excluded.consumed_timestamp
     WHERE utxos.consumed_tx_hash IS NULL AND utxos.chain = excluded.chain AND utxos.asset_id = excluded.asset_id
       AND utxos.amount = excluded.amount
     RETURNING utxo_id`,
    [asJson(networkId, "utxos", rows)],
  );
  if (stored.length < rows.length)
    throw new BadUpstreamData("an import spends an output that is spent already, or is another's");
}

function consumed(all: readonly Consumption[]): unknown[][] {
  return [
    all.map(({ utxoId }) => pgBytes(utxoId)),
    all.map(({ txHash }) => pgBytes(txHash)),
    all.map(({ blockNumber }) => blockNumber),
    all.map(({ timestamp }) => timestamp),
  ];
}
