import type { PrimaryChain } from "../../../core/primary-chains.ts";
import type { PrimaryTransaction } from "../../../prisma/client/client.ts";
import { columns, type TextRow } from "../../shared/rows/text-rows.ts";
import { byteListSql } from "../identifiers/byte-lists.ts";
import { DIRECTIONS, type SortOrder } from "../paging/sort-order.ts";
import { NAMED_TYPES } from "./tx-types.ts";

const NAMES = [
  "txSeq",
  "txHash",
  "txType",
  "blockNumber",
  "blockHash",
  "blockTimestamp",
  "memo",
  "sourceChain",
  "destinationChain",
  "l1BalanceBurned",
  "startTimestamp",
  "endTimestamp",
  "delegationShares",
  "nodeId",
  "subnetId",
  "stakingTxHash",
  "blsPublicKey",
  "blsProofOfPossession",
  "details",
] as const;

/** A transaction joined with the rows about it in other tables. List columns are in the form that `byteList` parses. */
export type TransactionRow = Pick<TextRow<PrimaryTransaction>, (typeof NAMES)[number]> & {
  readonly chain: PrimaryChain;
  readonly consumedUtxoIds: string;
  readonly emittedUtxoIds: string;
  readonly burnedAssetIds: string;
  /** Comma-separated decimal numbers. */
  readonly burnedAmounts: string;
  readonly rewardAddresses: string;
  /** For a staking transaction. */
  readonly potentialReward: string | null;
  readonly rewardTxHash: string | null;
  /** For a delegation: the validator's fee in millionths. */
  readonly validatorShares: number | null;
  /** For a CreateChainTx. */
  readonly createdChainName: string | null;
  readonly vmId: string | null;
  readonly genesisData: string | null;
  /** For a transaction in a vertex. */
  readonly vertexHash: string | null;
  readonly vertexHeight: string | null;
};

const qualified = (list: string): string => list.replace(/(^|, )/g, "$1t.");

const COLUMNS = `${qualified(columns<TextRow<PrimaryTransaction>>(...NAMES, "chain"))},
  ${byteListSql("t.consumed_utxo_ids")} AS "consumedUtxoIds", ${byteListSql("t.emitted_utxo_ids")} AS "emittedUtxoIds",
  ${byteListSql("t.burned_asset_ids")} AS "burnedAssetIds", array_to_string(t.burned_amounts, ',') AS "burnedAmounts",
  ${byteListSql("t.reward_addresses")} AS "rewardAddresses",
  s.potential_reward AS "potentialReward", s.reward_tx_hash AS "rewardTxHash", s.validator_shares AS "validatorShares",
  b.name AS "createdChainName", b.vm_id AS "vmId", b.genesis_data AS "genesisData",
  x.vertex_hash AS "vertexHash", x.vertex_height AS "vertexHeight"`;

/**
 * Joins the transactions `t` that `rows` selects with the other tables. Each join is a LATERAL with a LIMIT: otherwise the
 * planner joins whole tables while a newly filled network has no statistics.
 */
const joined = (rows: string): string => `SELECT ${COLUMNS} FROM (${rows}) t
  LEFT JOIN LATERAL (
    SELECT potential_reward, reward_tx_hash, (
      SELECT v.shares FROM stakers v WHERE v.network_id = t.network_id AND v.tx_hash = s.validator_tx_hash
    ) AS validator_shares
    FROM stakers s WHERE s.network_id = t.network_id AND s.tx_hash = t.tx_hash LIMIT 1
  ) s ON true
  LEFT JOIN LATERAL (
    SELECT name, vm_id, genesis_data FROM blockchains b
    WHERE b.network_id = t.network_id AND b.blockchain_id = t.tx_hash LIMIT 1
  ) b ON true
  LEFT JOIN LATERAL (
    SELECT vertex_hash, vertex_height FROM x_chain_vertices x
    WHERE x.network_id = t.network_id AND x.vertex_index = t.vertex_index LIMIT 1
  ) x ON true`;

/** Transactions of a network by ID. */
export const TRANSACTIONS_BY_ID = joined(
  "SELECT * FROM primary_transactions WHERE network_id = $1 AND tx_hash = ANY ($2)",
);

/** The index that a page is read from. */
export type Scope = "chain" | "addresses" | "validation";

/**
 * Position of the first transaction at or after a time. Times never decrease along a chain, except on the X-Chain: a vertex
 * contains no time, so its time comes from a file or from the node. There, only the times of the rows themselves are compared.
 */
const firstFrom = (time: string): string => `(SELECT f.tx_seq FROM primary_transactions f
  WHERE f.network_id = $1 AND f.chain = $2 AND f.block_timestamp >= ${time}
  ORDER BY f.block_timestamp, f.tx_seq LIMIT 1)`;

const FILTERS = `($5::text[] IS NULL OR a.tx_type = ANY ($5) OR ($6 AND a.tx_type <> ALL ('{${NAMED_TYPES.join(",")}}')))
  AND ($7::bigint IS NULL OR a.block_timestamp >= $7) AND ($8::bigint IS NULL OR a.block_timestamp < $8)
  AND ($7::bigint IS NULL OR $2 = 'X' OR a.tx_seq >= ${firstFrom("$7")})
  AND ($8::bigint IS NULL OR $2 = 'X' OR a.tx_seq < coalesce(${firstFrom("$8")}, a.tx_seq + 1))`;

const ofOwners = "o.network_id = $1 AND o.chain = $2 AND o.address = ANY ($9::bytea[]) AND o.tx_seq = a.tx_seq";

/** Positions of the transactions of a page: `$1` network, `$2` chain, `$3` last position, `$4` limit, then the filters. */
function positions(scope: Exclude<Scope, "chain">, { order, follows }: (typeof DIRECTIONS)[SortOrder]): string {
  const follow = `a.tx_seq ${follows} $3 AND ${FILTERS} ORDER BY a.tx_seq ${order} LIMIT $4`;
  if (scope === "validation")
    return `SELECT a.tx_seq FROM l1_validator_transactions a WHERE a.network_id = $1 AND a.validation_id = $10
      AND ($9::bytea[] IS NULL OR EXISTS (SELECT FROM primary_address_transactions o WHERE ${ofOwners})) AND ${follow}`;
  return `SELECT DISTINCT p.tx_seq FROM unnest($9::bytea[]) AS k(address), LATERAL (
      SELECT a.tx_seq FROM primary_address_transactions a
      WHERE a.network_id = $1 AND a.chain = $2 AND a.address = k.address AND ${follow}
    ) p ORDER BY p.tx_seq ${order} LIMIT $4`;
}

/** Statement for a page of a chain's transactions in chain order. */
export function pageStatement(scope: Scope, sortOrder: SortOrder): string {
  const { order, follows } = DIRECTIONS[sortOrder];
  const rows =
    scope === "chain"
      ? `SELECT * FROM primary_transactions t WHERE t.network_id = $1 AND t.chain = $2 AND t.tx_seq ${follows} $3
         ORDER BY t.tx_seq ${order} LIMIT $4`
      : `SELECT t.* FROM (${positions(scope, DIRECTIONS[sortOrder])}) p, LATERAL (
           SELECT * FROM primary_transactions t
           WHERE t.network_id = $1 AND t.chain = $2 AND t.tx_seq = p.tx_seq LIMIT 1
         ) t`;
  return `${joined(rows)} ORDER BY t.tx_seq ${order}`;
}
