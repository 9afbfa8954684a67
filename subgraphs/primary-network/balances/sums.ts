/** The chains that created the outputs, a condition for them, and the column with the other chain. */
type Source = readonly [creatingChains: string, where: string, otherChain: string];

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

/** Outputs that exist at time `$5`. Outputs without an amount, such as NFTs and minting rights, are not balances. */
const IS_CREATED = "created_timestamp <= $5 AND amount > 0";

/**
 * Sums and counts of the outputs of addresses `$2`, grouped by balance list, other chain and asset; asset `$6` comes first.
 * Network `$1`, outputs after all blocks up to time `$5`, locks and stakes at time `$4`. Outputs with one owner are summed
 * from a covering index: an owner of 100,000 outputs costs no access to the table. The creating chains are the rows of a join, because
 * PostgreSQL 15 reads all outputs of an owner to look for several values in the middle of an index. Only fungible outputs have an amount,
 * so the type is always `secp256k1`.
 */
function sumsOf([creatingChains, where, otherChain]: Source, owners = "$2::bytea[]"): string {
  const ofOneOwner = (isUnspent: string) => `
      SELECT one.* FROM unnest(${owners}) AS o(owner), unnest(${creatingChains}) AS c(creating_chain), LATERAL (
        SELECT ${KIND}, sum(amount) AS amount, count(*) AS count FROM utxos
        WHERE network_id = $1 AND addresses = ARRAY[o.owner] AND cardinality(addresses) = 1
          AND created_on_chain = c.creating_chain AND ${where} AND ${isUnspent} AND ${IS_CREATED} GROUP BY ${KIND}) one`;
  return `
    SELECT sums.bucket, sums.other_chain AS "otherChain", sums.asset_id AS "assetId", sums.amount, sums.count AS "utxoCount",
      coalesce(a.name, '') AS name, coalesce(a.symbol, '') AS symbol, coalesce(a.denomination, 0) AS denomination,
      'secp256k1' AS type
    FROM (
      SELECT ${BUCKET} AS bucket, ${otherChain} AS other_chain, asset_id, sum(amount)::text AS amount, sum(count)::int AS count
      FROM (
        ${ofOneOwner("consumed_timestamp IS NULL")}
        UNION ALL ${ofOneOwner("consumed_timestamp IS NOT NULL AND consumed_timestamp > $5")}
        UNION ALL
        SELECT ${KIND}, amount, 1 FROM utxos
        WHERE network_id = $1 AND addresses && ${owners} AND cardinality(addresses) <> 1
          AND created_on_chain = ANY (${creatingChains}) AND ${where}
          AND (consumed_timestamp IS NULL OR consumed_timestamp > $5) AND ${IS_CREATED}
      ) owned GROUP BY 1, 2, 3
    ) sums LEFT JOIN primary_assets a ON a.network_id = $1 AND a.asset_id = sums.asset_id
    ORDER BY sums.asset_id <> $6, sums.asset_id, sums.other_chain`;
}

const OUTPUTS: Source = ["ARRAY[$3::text]", "true", "chain"];
const IMPORTABLE: Source = ["array_remove('{P,X,C}'::text[], $3)", "chain = $3", "created_on_chain"];

/** Balances of outputs that chain `$3` created. */
export const SUMS_OF_OUTPUTS = sumsOf(OUTPUTS);

/** Balances that other chains exported to chain `$3`. */
export const SUMS_OF_IMPORTABLE = sumsOf(IMPORTABLE);

/** The same sums for each of the addresses `$2` alone. */
export const OUTPUTS_OF_EACH = ofEach(OUTPUTS);
export const IMPORTABLE_OF_EACH = ofEach(IMPORTABLE);

function ofEach(source: Source): string {
  return `SELECT k.address, item.* FROM unnest($2::bytea[]) AS k(address),
    LATERAL (${sumsOf(source, "ARRAY[k.address]")}) item`;
}
