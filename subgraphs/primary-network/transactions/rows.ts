import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { PrimaryTransaction } from "../../../prisma/client/client.ts";
import { descending, type Keyset } from "../../shared/rows/keyset.ts";
import { columns, type TextRow } from "../../shared/rows/text-rows.ts";
import { byteListSql } from "../identifiers/byte-lists.ts";
import { timedPositions } from "./by-time.ts";
import { type PageKind, positions } from "./positions.ts";

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
  readonly isTimeEstimated: boolean;
};

const qualified = (list: string): string => list.replace(/(^|, )/g, "$1t.");

const COLUMNS = `${qualified(columns<TextRow<PrimaryTransaction>>(...NAMES, "chain"))},
  ${byteListSql("t.consumed_utxo_ids")} AS "consumedUtxoIds", ${byteListSql("t.emitted_utxo_ids")} AS "emittedUtxoIds",
  ${byteListSql("t.burned_asset_ids")} AS "burnedAssetIds", array_to_string(t.burned_amounts, ',') AS "burnedAmounts",
  ${byteListSql("t.reward_addresses")} AS "rewardAddresses",
  s.potential_reward AS "potentialReward", s.reward_tx_hash AS "rewardTxHash", s.validator_shares AS "validatorShares",
  b.name AS "createdChainName", b.vm_id AS "vmId", b.genesis_data AS "genesisData",
  x.vertex_hash AS "vertexHash", x.vertex_height AS "vertexHeight",
  x.earliest_timestamp IS NOT NULL AS "isTimeEstimated"`;

/**
 * Joins the transactions `t` that `rows` selects with the other tables. Each join is a LATERAL with a LIMIT: otherwise the
 * planner joins whole tables while a newly filled network has no statistics.
 */
const joined = (rows: string): string => `SELECT ${COLUMNS} FROM (${rows}) t
  LEFT JOIN LATERAL (
    SELECT potential_reward, reward_tx_hash, (
      SELECT v.shares FROM stakers v WHERE v.network_id = $1 AND v.tx_hash = s.validator_tx_hash
    ) AS validator_shares
    FROM stakers s WHERE s.network_id = $1 AND s.tx_hash = t.tx_hash LIMIT 1
  ) s ON true
  LEFT JOIN LATERAL (
    SELECT name, vm_id, genesis_data FROM blockchains b
    WHERE b.network_id = $1 AND b.blockchain_id = t.tx_hash LIMIT 1
  ) b ON true
  LEFT JOIN LATERAL (
    SELECT vertex_hash, vertex_height, earliest_timestamp FROM x_chain_vertices x
    WHERE x.network_id = $1 AND x.vertex_index = t.vertex_index LIMIT 1
  ) x ON true`;

/** Transactions of a network by ID. */
export const TRANSACTIONS_BY_ID = joined(
  "SELECT * FROM primary_transactions WHERE network_id = $1 AND tx_hash = ANY ($2)",
);

/** The order of a chain's transactions: newest first. */
export const TRANSACTION_ORDER = descending({ tx_seq: "bigint" });

type StatementKind = Pick<PageKind, "source" | "isFiltered">;

/** Statement for a page of a chain's transactions in chain order. */
export function pageStatement({ source, isFiltered }: StatementKind, keyset: Keyset): string {
  const rows =
    source === "chain"
      ? ofChain("*", keyset)
      : `SELECT t.* FROM (${positions(source, keyset, isFiltered)}) p, LATERAL (
           SELECT * FROM primary_transactions t
           WHERE t.network_id = $1 AND t.chain = $2 AND t.tx_seq = p.tx_seq LIMIT 1
         ) t`;
  return `${joined(rows)} ORDER BY ${keyset.orderBy()}`;
}

/** Statement for a page of a chain's transactions by time. */
export function timedStatement(ofTypes: boolean, keyset: Keyset): string {
  const rows = `SELECT t.* FROM (${timedPositions(ofTypes, keyset)}) p, LATERAL (
      SELECT * FROM primary_transactions t WHERE t.network_id = $1 AND t.chain = $2 AND t.tx_seq = p.tx_seq LIMIT 1
    ) t`;
  return `${joined(rows)} ORDER BY ${keyset.orderBy()}`;
}

/** Statement for the positions alone of the page that `pageStatement` reads. */
export function positionsStatement({ source, isFiltered }: StatementKind, keyset: Keyset): string {
  return source === "chain" ? ofChain("t.tx_seq", keyset) : positions(source, keyset, isFiltered);
}

const ofChain = (list: string, { after, orderBy }: Keyset): string =>
  `SELECT ${list} FROM primary_transactions t WHERE t.network_id = $1 AND t.chain = $2 AND ${after()}
    ORDER BY ${orderBy()} LIMIT $4`;
