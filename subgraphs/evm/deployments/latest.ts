import { isUntraced, type TraceCoverage, traceCoverage } from "../../../core/networks/trace-coverage.ts";
import { MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import type { CheckedTransaction } from "../transactions/rows.ts";
import { COLUMNS as TRANSACTION } from "../transactions/store.ts";
import type { Deployment } from "./types.ts";

/** What a transaction may contain. */
interface TransactionContents {
  readonly erc20Transfers: boolean;
  readonly erc721Transfers: boolean;
  readonly erc1155Transfers: boolean;
  readonly internalTransactions: boolean;
  readonly teleporterMessageInfo: boolean;
}

/** The latest deployment of a contract, with what one statement reads of its transaction. */
export interface LatestDeployment extends Deployment {
  readonly transaction: CheckedTransaction;
  readonly contents: TransactionContents;
  /** True if the block is traced. */
  readonly isTraced: boolean;
}

export const isLatest = (deployment: Deployment): deployment is LatestDeployment => "contents" in deployment;

const MAY_CONTAIN_ALL: TransactionContents = {
  erc20Transfers: true,
  erc721Transfers: true,
  erc1155Transfers: true,
  internalTransactions: true,
  teleporterMessageInfo: true,
};

/** What the transaction of a deployment contains, or may contain if the statement did not read it. */
export const contentsOf = (deployment: Deployment): TransactionContents =>
  isLatest(deployment) ? deployment.contents : MAY_CONTAIN_ALL;

/** SQL condition: the table has rows of the transaction of deployment `d`. */
const has = (table: string, where = ""): string => `EXISTS (SELECT FROM ${table} x WHERE x.chain_id = $1
  AND x.block_number = d.block_number AND x.block_index = d.block_index ${where})`;
const hasLogged = (table: string, where = ""): string => `t."logCount" > 0 AND ${has(table, where)}`;

/**
 * The latest deployment, its transaction, and which lists of the transaction are not empty: an EXISTS costs far less than a
 * statement for a list that turns out to be empty. If there is no deployment, the statement returns one row, which has only the
 * trace coverage.
 */
export const LATEST = `SELECT * FROM (${traceCoverage("0", MAX_BIGINT)}) coverage LEFT JOIN (
    SELECT d.address, d.trace_index AS "traceIndex", d.creator_address AS creator, d.opcode, t.*, b."baseFee",
      NOT ${isUntraced("$1", "d.block_number")} AS "isTraced",
      EXISTS (SELECT FROM erc20_tokens x WHERE x.chain_id = $1 AND x.address IN (t."from", t."to")) AS "hasTokenAddress",
      ${hasLogged("erc20_transfers")} AS "erc20Transfers",
      ${hasLogged("erc721_transfers")} AS "erc721Transfers",
      ${hasLogged("erc1155_transfers")} AS "erc1155Transfers",
      ${hasLogged("icm_events", "AND x.direction IS NOT NULL")} AS "teleporterMessageInfo",
      ${has("evm_internal_transactions")} AS "internalTransactions"
    FROM (SELECT * FROM evm_deployments WHERE chain_id = $1 AND address = $2
        ORDER BY block_number DESC, block_index DESC, trace_index DESC LIMIT 1) d,
      LATERAL (SELECT ${TRANSACTION} FROM evm_transactions x
        WHERE x.chain_id = $1 AND x.block_number = d.block_number AND x.block_index = d.block_index) t,
      LATERAL (SELECT base_fee AS "baseFee" FROM evm_blocks x
        WHERE x.chain_id = $1 AND x.block_number = d.block_number) b
  ) deployment ON true`;

interface Found extends CheckedTransaction, TransactionContents {
  readonly address: string;
  readonly traceIndex: number;
  readonly creator: string;
  readonly opcode: string;
  readonly isTraced: boolean;
}

type FoundRow = { [Name in keyof Found]: Found[Name] };

export type LatestRow = TraceCoverage & (FoundRow | { readonly address: null });

/** The row has the fields of the deployment, of its transaction and of the transaction's contents. */
export function deploymentOf(row: FoundRow): LatestDeployment {
  return {
    chainId: row.chainId,
    address: row.address,
    blockNumber: row.blockNumber,
    blockIndex: row.blockIndex,
    traceIndex: row.traceIndex,
    txHash: row.txHash,
    creator: row.creator,
    opcode: row.opcode,
    isTraced: row.isTraced,
    transaction: row,
    contents: row,
  };
}
