import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { RowQuery } from "../shared/cursor.ts";
import { boundsSql } from "./bounds.ts";
import { listSql } from "./network.ts";

const BOUNDS = boundsSql("$9");

/** What a row is, from the owner's point of view. */
export type FundTransferType = "CREDIT" | "DEBIT" | "CREDIT_STAKING_SET" | "CREDIT_ATOMIC" | "DEBIT_ATOMIC";

/** Columns of the transaction `t`. */
const OF_TRANSACTION = {
  txSeq: "t.tx_seq",
  txHash: "t.tx_hash",
  txType: "t.tx_type",
  txBlockNumber: "t.block_number",
  memo: "t.memo",
  sourceChain: "t.source_chain",
  destinationChain: "t.destination_chain",
  burnedAvax: "t.burned_amounts[array_position(t.burned_asset_ids, $6::bytea)]",
  l1Balance: "nullif(t.l1_balance_burned, 0)",
  nodeId: "t.node_id",
  subnetId: "t.subnet_id",
  stakingTxHash: "t.staking_tx_hash",
  listedAccounts: listSql("t.listed_accounts"),
  details: "CASE WHEN t.chain = 'C' THEN t.details END",
  vertexHash: `CASE WHEN t.vertex_index IS NOT NULL THEN (SELECT x.vertex_hash FROM x_chain_vertices x
    WHERE x.network_id = $1 AND x.vertex_index = t.vertex_index) END`,
} as const;

/** Columns of the movement `m`: an output, and what the transaction does with it. */
const OF_MOVEMENT = {
  type: "m.type",
  blockNumber: "m.block_number",
  blockTimestamp: "m.block_timestamp",
  utxoId: "m.utxo_id",
  outputTxHash: "m.tx_hash",
  outputIndex: "m.output_index",
  assetId: "m.asset_id",
  outputType: "m.output_type",
  amount: "m.amount",
  locktime: "m.locktime",
  threshold: "m.threshold",
  addresses: listSql("m.addresses"),
  stakeableLocktime: "m.stakeable_locktime",
  groupId: "m.group_id",
  payload: "m.payload",
  rewardType: "m.reward_type",
  stakeStart: "m.stake_start",
  stakeEnd: "m.stake_end",
  createdOnChain: "m.created_on_chain",
  consumableOnChain: "m.chain",
  createdBlockNumber: "m.created_block_number",
  createdTimestamp: "m.created_timestamp",
  consumedTxHash: "m.consumed_tx_hash",
  consumedBlockNumber: "m.consumed_block_number",
  consumedTimestamp: "m.consumed_timestamp",
} as const;

/** Rewards are in the block of the decision, all else in the transaction's block. */
const BLOCK_HASH = `CASE WHEN m.block_number = t.block_number THEN t.block_hash ELSE (SELECT b.block_hash
  FROM primary_blocks b WHERE b.network_id = $1 AND b.chain = $2 AND b.block_number >= m.block_number
  ORDER BY b.block_number LIMIT 1) END`;

type Field = keyof typeof OF_TRANSACTION | keyof typeof OF_MOVEMENT | "blockHash";
type Required = "txSeq" | "txHash" | "type" | "blockTimestamp" | "utxoId" | "outputTxHash" | "outputIndex" | "assetId";

/** A row as the cursor returns it: all texts, bytes as `\x` hex. */
export type MovementFields = { readonly [Name in Exclude<Field, Required>]: string | null } & {
  readonly [Name in Exclude<Required, "type">]: string;
} & {
  readonly type: FundTransferType;
  readonly amount: string;
  readonly addresses: string;
  readonly outputType: string;
  readonly createdOnChain: PrimaryChain;
  readonly consumableOnChain: PrimaryChain;
};

/** An auto-renewed validator stakes until it exits; the indexed end is that of its present cycle. */
const IS_RENEWED = `t.tx_type = 'AddAutoRenewedValidatorTx' AND NOT EXISTS (SELECT FROM stakers s JOIN primary_transactions r
  ON r.network_id = $1 AND r.tx_hash = s.reward_tx_hash
  WHERE s.network_id = $1 AND s.tx_hash = t.tx_hash AND r.block_number < ${BOUNDS.of("'P'")})`;

/** The next block decides on a proposal: its stake, refund or reward. */
const IS_UNDECIDED = `t.chain = 'P' AND t.block_number = ${BOUNDS.of("'P'")} AND u.role IN ('STAKE', 'REFUND', 'REWARD')
  AND EXISTS (SELECT FROM primary_blocks b WHERE b.network_id = $1 AND b.chain = 'P'
    AND b.block_number = ${BOUNDS.of("'P'")} AND b.block_type LIKE '%ProposalBlock')`;

/**
 * The outputs of a list of ids. Each is looked up by a LATERAL with a LIMIT: otherwise the planner reads whole tables while
 * a newly filled network has no statistics.
 */
const outputsIn = (ids: string, { isCreated, isConsumed }: Known): string => `unnest(${ids}) WITH ORDINALITY AS i(id, n)
      CROSS JOIN LATERAL (SELECT *, ${isCreated} AS is_created, ${isConsumed} AS is_consumed
        FROM utxos u WHERE u.network_id = $1 AND u.utxo_id = i.id LIMIT 1) u
    WHERE (u.is_created AND u.addresses && $3::bytea[] OR t.listed_accounts IS NOT NULL)`;

/** SQL conditions on an output `u`: its creation, and its consumption, is not above the bounds. */
interface Known {
  readonly isCreated: string;
  readonly isConsumed: string;
}

const ifCreated = (column: string, otherwise: string): string =>
  `CASE WHEN u.is_created THEN u.${column} ELSE ${otherwise} END AS ${column}`;
const ifConsumed = (column: string): string => `CASE WHEN u.is_consumed THEN u.${column} END AS ${column}`;

/**
 * An output as it is known at the bounds, in whichever order the chains are indexed. Columns that an ImportTx itself states need
 * no condition.
 */
const outputColumns = (
  stakeEnd: string,
): string => `u.utxo_id, u.tx_hash, u.output_index, u.asset_id, u.output_type, u.amount,
      ${ifCreated("locktime", "0")}, ${ifCreated("threshold", "0")}, ${ifCreated("addresses", "'{}'")},
      ${["stakeable_locktime", "group_id", "payload", "reward_type", "stake_start"].map((name) => ifCreated(name, "NULL")).join(", ")},
      ${stakeEnd} AS stake_end, u.created_on_chain, u.chain,
      ${["created_block_number", "created_timestamp"].map((name) => ifCreated(name, "NULL")).join(", ")},
      ${["consumed_tx_hash", "consumed_block_number", "consumed_timestamp"].map(ifConsumed).join(", ")}`;

const OF_INPUT: Known = {
  isCreated: `(u.created_on_chain = t.chain OR ${BOUNDS.covers("created")})`,
  isConsumed: "true",
};
const OF_OUTPUT: Known = { isCreated: "true", isConsumed: BOUNDS.covers("consumed") };

/**
 * The movements of a transaction `t` that concern the owners `$3`, or all of them if it debits or credits one of the
 * C-Chain accounts `$4`. A stake that ends creates no output: its outputs keep their ids and become spendable.
 */
const MOVEMENTS = `(
    SELECT 0 AS phase, i.n, CASE WHEN u.created_on_chain = t.chain THEN 'DEBIT' ELSE 'DEBIT_ATOMIC' END AS type,
      t.block_number, t.block_timestamp, ${outputColumns("u.stake_end")}
    FROM ${outputsIn("t.consumed_utxo_ids", OF_INPUT)}
    UNION ALL
    SELECT 1, i.n,
      CASE u.role WHEN 'STAKE' THEN 'CREDIT_STAKING_SET' WHEN 'EXPORTED' THEN 'CREDIT_ATOMIC' ELSE 'CREDIT' END,
      u.created_block_number, u.created_timestamp, ${outputColumns(`CASE WHEN NOT (${IS_RENEWED}) THEN u.stake_end END`)}
    FROM ${outputsIn("t.emitted_utxo_ids", OF_OUTPUT)} AND NOT (u.role = 'STAKE' AND u.tx_hash <> t.tx_hash)
      AND (u.created_block_number IS NULL OR u.created_block_number <= ${BOUNDS.of("t.chain")}) AND NOT (${IS_UNDECIDED})
  )`;

const IN_TIME =
  "$6::bytea IS NOT NULL AND ($7::bigint IS NULL OR m.block_timestamp >= $7) AND ($8::bigint IS NULL OR m.block_timestamp < $8)";

/** The C-Chain accounts `$4` for which the transaction is listed; null if there is none. */
const LISTED_ACCOUNTS = `CASE WHEN t.chain = 'C' THEN (SELECT array_agg(a.address ORDER BY a.address)
  FROM primary_address_transactions a WHERE a.network_id = $1 AND a.chain = 'C' AND a.address = ANY ($4::bytea[])
    AND a.tx_seq = t.tx_seq) END`;

/**
 * The transactions of `seqs` with their movements. `$5` is the range of positions that `seqs` uses. Each
 * transaction is read as `tx_seq >= x LIMIT 1`. With `=`, the planner would use the index by time while the table has no
 * statistics, and would read all of it for each transaction.
 */
const movementsOf = (seqs: string): string => `FROM (${seqs}) s
    CROSS JOIN LATERAL (SELECT t.*, ${LISTED_ACCOUNTS} AS listed_accounts FROM primary_transactions t
      WHERE t.network_id = $1 AND t.chain = $2 AND t.tx_seq >= s.tx_seq ORDER BY t.tx_seq LIMIT 1) t
    CROSS JOIN LATERAL ${MOVEMENTS} m
  WHERE t.tx_seq = s.tx_seq AND ${IN_TIME}`;

const LISTED = `SELECT a.tx_seq FROM primary_address_transactions a WHERE a.network_id = $1 AND a.chain = $2
  AND a.tx_seq BETWEEN ($5::bigint[])[1] AND ($5::bigint[])[2]`;

/** Maximum number of addresses whose lists of transactions are merged in order instead of sorted. */
const MAX_MERGED = 16;

/** First parameter after those of the movements. */
const FIRST_KEY = 10;

/** True if each address is a parameter of its own; otherwise all are one array. */
export const isMerged = (keyCount: number): boolean => keyCount <= MAX_MERGED;

function seqsOf(keyCount: number): string {
  if (!isMerged(keyCount))
    return `SELECT DISTINCT tx_seq FROM (${LISTED} AND a.address = ANY ($${FIRST_KEY}::bytea[])) l`;
  const lists = Array.from(
    { length: keyCount },
    (_, index) => `(${LISTED} AND a.address = $${FIRST_KEY + index} ORDER BY a.tx_seq)`,
  );
  return `SELECT DISTINCT tx_seq FROM (${lists.join(" UNION ALL ")}) l`;
}

const selectList = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([name, expression]) => `${expression} AS "${name}"`)
    .join(", ");

const LISTS_ONLY = { jit: "off", enable_hashjoin: "off", enable_mergejoin: "off", enable_seqscan: "off" };

/**
 * Statement of the movements in chain order: what a transaction consumes, then what it creates. Parameters: network, chain,
 * owners, accounts, range of positions, AVAX, start and end time, `boundValues`, then the listed addresses.
 */
export function movementsQuery(keyCount: number): RowQuery {
  return {
    text: `SELECT ${selectList({ ...OF_TRANSACTION, ...OF_MOVEMENT, blockHash: BLOCK_HASH })} ${movementsOf(seqsOf(keyCount))}
      ORDER BY s.tx_seq, m.phase, m.n`,
    settings: isMerged(keyCount)
      ? { ...LISTS_ONLY, enable_sort: "off", enable_hashagg: "off", enable_bitmapscan: "off", enable_material: "off" }
      : LISTS_ONLY,
  };
}

/** Statement that counts the same rows by day. */
export function movementCountQuery(keyCount: number, day: (timestamp: string) => string): RowQuery {
  return {
    text: `SELECT ${day("m.block_timestamp")} AS day, count(*) AS rows ${movementsOf(seqsOf(keyCount))} GROUP BY 1`,
    settings: LISTS_ONLY,
  };
}

/**
 * Outputs of the genesis, which no transaction list has. An output with one owner is read from the partial indexes by owner,
 * whose conditions are repeated here word for word.
 */
const GENESIS_OUTPUTS = ["u.consumed_timestamp IS NULL", "u.consumed_timestamp IS NOT NULL"]
  .map(
    (
      isUnspent,
    ) => `SELECT u.* FROM unnest($3::bytea[]) AS o(owner), LATERAL (SELECT * FROM utxos u WHERE u.network_id = $1
      AND u.addresses = ARRAY[o.owner] AND cardinality(u.addresses) = 1 AND u.created_on_chain = $2 AND ${isUnspent}
      AND u.created_block_number = 0 OFFSET 0) u`,
  )
  .concat(
    `SELECT u.* FROM utxos u WHERE u.network_id = $1 AND u.addresses && $3::bytea[] AND cardinality(u.addresses) <> 1
      AND u.created_on_chain = $2 AND u.created_block_number = 0`,
  )
  .join(" UNION ALL ");

const GENESIS = `FROM (
    SELECT CASE u.role WHEN 'STAKE' THEN 'CREDIT_STAKING_SET' ELSE 'CREDIT' END AS type,
      u.created_block_number AS block_number, u.created_timestamp AS block_timestamp, ${outputColumns("u.stake_end")}
    FROM (SELECT *, true AS is_created, ${boundsSql("$6").covers("consumed")} AS is_consumed FROM (${GENESIS_OUTPUTS}) u) u
    WHERE NOT EXISTS (SELECT FROM primary_transactions t WHERE t.network_id = $1 AND t.tx_hash = u.tx_hash)
  ) m WHERE ($4::bigint IS NULL OR m.block_timestamp >= $4) AND ($5::bigint IS NULL OR m.block_timestamp < $5)`;

const NO_TRANSACTION = Object.fromEntries(
  [...Object.keys(OF_TRANSACTION), "blockHash"].map((name) => [name, "NULL::text"]),
);

/** Statement of the genesis outputs of owners. Parameters: network, chain, owners, start and end time, `boundValues`. */
export const GENESIS_QUERY = `SELECT ${selectList({
  ...NO_TRANSACTION,
  ...OF_MOVEMENT,
  txSeq: "-1",
  txHash: "m.tx_hash",
})} ${GENESIS} ORDER BY m.tx_hash, m.output_index`;

/** Statement that counts the same rows by day. */
export const genesisCountQuery = (day: (timestamp: string) => string): string =>
  `SELECT ${day("m.block_timestamp")} AS day, count(*) AS rows ${GENESIS} GROUP BY 1`;
