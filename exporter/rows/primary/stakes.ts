import { listSql } from "./network.ts";

/** Types of transactions that stake. */
const STAKING_TYPES = [
  "AddValidatorTx",
  "AddDelegatorTx",
  "AddSubnetValidatorTx",
  "AddPermissionlessValidatorTx",
  "AddPermissionlessDelegatorTx",
  "AddAutoRenewedValidatorTx",
];

const FIELDS = {
  txSeq: "coalesce(t.tx_seq, -1)",
  txHash: "s.tx_hash",
  txType: "t.tx_type",
  blockNumber: "coalesce(t.block_number, 0)",
  blockHash: "t.block_hash",
  blockTimestamp: "coalesce(t.block_timestamp, g.genesis_timestamp)",
  kind: "s.kind",
  status: "s.status",
  isPermissioned: "s.is_permissioned",
  subnetId: "s.subnet_id",
  nodeId: "s.node_id",
  weight: "s.weight",
  ownStake: "o.amount",
  assetId: "s.stake_asset_id",
  startTimestamp: "s.start_timestamp",
  endTimestamp: "s.end_timestamp",
  shares: "s.shares",
  validatorTxHash: "s.validator_tx_hash",
  rewardOwner: "s.reward_owner",
  shareOwner: "s.share_owner",
  potentialReward: "s.potential_reward",
  rewardTxHash: "s.reward_tx_hash",
  isRewarded: "s.is_rewarded",
  endedTimestamp: "s.ended_timestamp",
  removeTxHash: "s.remove_tx_hash",
  paidReward: "s.paid_reward",
  paidShare: "s.paid_share",
  restakedReward: "s.restaked_reward",
  restakedShare: "s.restaked_share",
  rewardUtxoIds: "r.ids",
  ownReward: "r.own",
  ownRewards: "r.own_rewards",
  rewardTimestamp: "r.timestamp",
  listedAddresses: listSql("c.addresses"),
} as const;

type Name = keyof typeof FIELDS;
type Required =
  | "listedAddresses"
  | "txSeq"
  | "txHash"
  | "blockNumber"
  | "blockTimestamp"
  | "kind"
  | "status"
  | "subnetId"
  | "nodeId";
type AlwaysSet = "weight" | "startTimestamp" | "endTimestamp" | "paidReward" | "paidShare" | "isPermissioned";

/**
 * A row as the cursor returns it: all texts, bytes as `\x` hex, booleans as `t` and `f`. `ownRewards` has the amount and the
 * time of each output of `ownReward`, as `amount:seconds` with a comma between them.
 */
export type StakeFields = { readonly [Field in Exclude<Name, Required | AlwaysSet>]: string | null } & {
  readonly [Field in Required | AlwaysSet]: string;
};

/** Stakes of the genesis have no transaction. Their outputs are found by their owners. */
const GENESIS_STAKES = ["u.consumed_timestamp IS NULL", "u.consumed_timestamp IS NOT NULL"]
  .map(
    (
      isUnspent,
    ) => `SELECT u.tx_hash, o.owner FROM unnest($2::bytea[]) AS o(owner), LATERAL (SELECT u.tx_hash FROM utxos u
      WHERE u.network_id = $1 AND u.addresses = ARRAY[o.owner] AND cardinality(u.addresses) = 1
        AND u.created_on_chain = 'P' AND ${isUnspent} AND u.created_block_number = 0 AND u.role = 'STAKE' OFFSET 0) u`,
  )
  .concat(
    `SELECT u.tx_hash, o.owner FROM utxos u CROSS JOIN LATERAL unnest(u.addresses) AS o(owner)
      WHERE u.network_id = $1 AND u.addresses && $2::bytea[] AND cardinality(u.addresses) <> 1
        AND u.created_on_chain = 'P' AND u.created_block_number = 0 AND u.role = 'STAKE' AND o.owner = ANY ($2::bytea[])`,
  )
  .join(" UNION ALL ");

/** Stakes that list some of the addresses `$2`: as owners of something that is spent or created, or of the rewards. */
const STAKES = `FROM (SELECT tx_hash, array_agg(DISTINCT address) AS addresses FROM (
    SELECT l.tx_hash, a.address FROM primary_address_transactions a, LATERAL (SELECT tx_hash FROM primary_transactions t
      WHERE t.network_id = $1 AND t.chain = 'P' AND t.tx_seq >= a.tx_seq ORDER BY t.tx_seq LIMIT 1) l
    WHERE a.network_id = $1 AND a.chain = 'P' AND a.address = ANY ($2::bytea[])
      AND a.tx_type = ANY ('{${STAKING_TYPES.join(",")}}'::text[])
    UNION ALL SELECT tx_hash, address FROM staker_owners WHERE network_id = $1 AND address = ANY ($2::bytea[])
    UNION ALL ${GENESIS_STAKES}
  ) l GROUP BY tx_hash) c
    CROSS JOIN LATERAL (SELECT * FROM stakers s WHERE s.network_id = $1 AND s.tx_hash = c.tx_hash LIMIT 1) s
    JOIN primary_networks g ON g.network_id = $1
    LEFT JOIN LATERAL (SELECT * FROM primary_transactions t WHERE t.network_id = $1 AND t.tx_hash = c.tx_hash LIMIT 1) t
      ON true`;

const IN_RANGE = `WHERE coalesce(t.block_number, 0) <= $3 AND coalesce(t.tx_seq, -1) > $4
    AND ($5::bigint IS NULL OR ${FIELDS.blockTimestamp} >= $5) AND ($6::bigint IS NULL OR ${FIELDS.blockTimestamp} < $6)`;

const SELECT_LIST = Object.entries(FIELDS)
  .map(([name, expression]) => `${expression} AS "${name}"`)
  .join(", ");

/**
 * Joins the staked amount that the exported addresses own, and the rewards. Rewards have the end time of their stake, except
 * those of auto-renewed validators; the condition lets PostgreSQL use the index by node.
 */
const AMOUNTS = `LEFT JOIN LATERAL (SELECT sum(u.amount) AS amount FROM unnest(t.emitted_utxo_ids) AS e(id)
        CROSS JOIN LATERAL (SELECT * FROM utxos u WHERE u.network_id = $1 AND u.utxo_id = e.id LIMIT 1) u
      WHERE u.role = 'STAKE' AND u.addresses && $2::bytea[]) o ON true
    LEFT JOIN LATERAL (SELECT ${listSql("array_agg(w.utxo_id ORDER BY w.reward_seq)")} AS ids,
        sum(w.amount) FILTER (WHERE w.addresses && $2::bytea[]) AS own, max(w.reward_timestamp) AS timestamp,
        string_agg(w.amount || ':' || w.reward_timestamp, ',' ORDER BY w.reward_seq)
          FILTER (WHERE w.addresses && $2::bytea[]) AS own_rewards
      FROM primary_rewards w WHERE w.network_id = $1 AND w.node_id = s.node_id AND w.staking_tx_hash = s.tx_hash
        AND (s.next_period IS NOT NULL OR w.end_timestamp = s.end_timestamp)) r ON true`;

/**
 * Statement of stakes in the order of their transactions; those of the genesis come first. Parameters: network, addresses,
 * the bound's block, the position after which to start, start and end time.
 */
export const STAKES_QUERY = `SELECT ${SELECT_LIST} ${STAKES} ${AMOUNTS} ${IN_RANGE} ORDER BY ${FIELDS.txSeq}, s.staker_seq`;

/** Statement that counts the same rows by day. */
export const stakeCountQuery = (day: (timestamp: string) => string): string =>
  `SELECT ${day(FIELDS.blockTimestamp)} AS day, count(*) AS rows ${STAKES} ${IN_RANGE} GROUP BY 1`;
