/** The chains that created the outputs, a condition for them, the column with the other chain, and which outputs exist. */
type Source = readonly [creatingChains: string, where: string, otherChain: string, existing: Existing];

/** Columns that determine the balance list of an output. */
const KIND = "created_on_chain, chain, asset_id, stake_start, stake_end, locktime, stakeable_locktime";

/** SQL condition: a lock of an output has not expired at time `$4`. */
const IS_LOCKED = "greatest(locktime, stakeable_locktime) > $4";

const BUCKET = `CASE
    WHEN chain <> created_on_chain THEN CASE WHEN ${IS_LOCKED} THEN 'atomicMemoryLocked' ELSE 'atomicMemoryUnlocked' END
    WHEN stake_start > $4 THEN 'pendingStaked'
    WHEN stake_end > $4 THEN CASE WHEN ${IS_LOCKED} THEN 'lockedStaked' ELSE 'unlockedStaked' END
    WHEN locktime > $4 THEN 'lockedPlatform'
    WHEN stakeable_locktime > $4 THEN 'lockedStakeable'
    ELSE 'unlockedUnstaked' END`;

/** Outputs without an amount, such as NFTs and minting rights, are not balances. */
const HAS_AMOUNT = "amount > 0";

/** Conditions on outputs that exist at a moment. */
interface Existing {
  readonly isCreated: string;
  /** Outputs that are consumed only after the moment. Implies `consumed_timestamp IS NOT NULL`. */
  readonly isConsumedLater: string;
  /** The outputs that `isCreated` allows, in parts that each read one range of the index of unspent outputs. */
  readonly createdParts: readonly string[];
}

/** After all blocks up to time `$5`. */
const AT_TIME: Existing = {
  isCreated: "created_timestamp <= $5",
  isConsumedLater: "consumed_timestamp > $5",
  createdParts: ["created_timestamp <= $5"],
};

/** Consumed after block `$7` of chain `$3`, whose timestamp is `$5`; on another chain, after all its blocks up to that time. */
const CONSUMED_AFTER_BLOCK =
  "consumed_timestamp >= $5 AND (consumed_timestamp > $5 OR chain = $3 AND coalesce(consumed_block_number, -1) > $7)";

/** Of outputs that chain `$3` created: after its block `$7`. Outputs in vertices and in the genesis have no block number. */
const OWN_AT_BLOCK: Existing = {
  isCreated: "(created_timestamp < $5 OR created_timestamp = $5 AND coalesce(created_block_number, -1) <= $7)",
  isConsumedLater: CONSUMED_AFTER_BLOCK,
  createdParts: ["created_timestamp < $5", "created_timestamp = $5 AND coalesce(created_block_number, -1) <= $7"],
};

/** The same of outputs that another chain created: up to the time of the block. */
const OTHERS_AT_BLOCK: Existing = { ...AT_TIME, isConsumedLater: CONSUMED_AFTER_BLOCK };

/**
 * Sums and counts of the outputs of addresses `$2`, grouped by balance list, other chain and asset; asset `$6` comes first.
 * Network `$1`, existing outputs, locks and stakes at time `$4`. Outputs with one owner are summed
 * from a covering index: an owner of 100,000 outputs costs no access to the table. The creating chains are the rows of a join, because
 * PostgreSQL 15 reads all outputs of an owner to look for several values in the middle of an index. Only fungible outputs have an amount,
 * so the type is always `secp256k1`.
 */
function sumsOf([creatingChains, where, otherChain, existing]: Source, owners = "$2::bytea[]"): string {
  const ofOneOwner = (condition: string) => `
      SELECT one.* FROM unnest(${owners}) AS o(owner), unnest(${creatingChains}) AS c(creating_chain), LATERAL (
        SELECT ${KIND}, sum(amount) AS amount, count(*) AS count FROM utxos
        WHERE network_id = $1 AND addresses = ARRAY[o.owner] AND cardinality(addresses) = 1
          AND created_on_chain = c.creating_chain AND ${where} AND ${condition} AND ${HAS_AMOUNT} GROUP BY ${KIND}) one`;
  const { isCreated, isConsumedLater, createdParts } = existing;
  const parts = [
    ...createdParts.map((created) => ofOneOwner(`consumed_timestamp IS NULL AND ${created}`)),
    ofOneOwner(`consumed_timestamp IS NOT NULL AND ${isConsumedLater} AND ${isCreated}`),
  ];
  return `
    SELECT sums.bucket, sums.other_chain AS "otherChain", sums.asset_id AS "assetId", sums.amount, sums.count AS "utxoCount",
      coalesce(a.name, '') AS name, coalesce(a.symbol, '') AS symbol, coalesce(a.denomination, 0) AS denomination,
      'secp256k1' AS type
    FROM (
      SELECT ${BUCKET} AS bucket, ${otherChain} AS other_chain, asset_id, sum(amount)::text AS amount, sum(count)::int AS count
      FROM (
        ${parts.join("\n        UNION ALL ")}
        UNION ALL
        SELECT ${KIND}, amount, 1 FROM utxos
        WHERE network_id = $1 AND addresses && ${owners} AND cardinality(addresses) <> 1
          AND created_on_chain = ANY (${creatingChains}) AND ${where}
          AND (consumed_timestamp IS NULL OR ${isConsumedLater}) AND ${isCreated} AND ${HAS_AMOUNT}
      ) owned GROUP BY 1, 2, 3
    ) sums LEFT JOIN primary_assets a ON a.network_id = $1 AND a.asset_id = sums.asset_id
    ORDER BY sums.asset_id <> $6, sums.asset_id, sums.other_chain`;
}

const outputs = (existing: Existing): Source => ["ARRAY[$3::text]", "true", "chain", existing];
const importable = (existing: Existing): Source => [
  "array_remove('{P,X,C}'::text[], $3)",
  "chain = $3",
  "created_on_chain",
  existing,
];

/** Balances of outputs that chain `$3` created, after all blocks up to time `$5`. */
export const SUMS_OF_OUTPUTS = sumsOf(outputs(AT_TIME));

/** The same after block `$7` of chain `$3`, whose timestamp is `$5`. */
export const SUMS_OF_OUTPUTS_AT_BLOCK = sumsOf(outputs(OWN_AT_BLOCK));

/** Balances that other chains exported to chain `$3`, after all blocks up to time `$5`. */
export const SUMS_OF_IMPORTABLE = sumsOf(importable(AT_TIME));

/** The same after block `$7` of chain `$3`, whose timestamp is `$5`. */
export const SUMS_OF_IMPORTABLE_AT_BLOCK = sumsOf(importable(OTHERS_AT_BLOCK));

/** The sums of `SUMS_OF_OUTPUTS` and `SUMS_OF_IMPORTABLE` for each of the addresses `$2` alone. */
export const OUTPUTS_OF_EACH = ofEach(outputs(AT_TIME));
export const IMPORTABLE_OF_EACH = ofEach(importable(AT_TIME));

function ofEach(source: Source): string {
  return `SELECT k.address, item.* FROM unnest($2::bytea[]) AS k(address),
    LATERAL (${sumsOf(source, "ARRAY[k.address]")}) item`;
}
