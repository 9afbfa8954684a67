import { PRIMARY_CHAIN_ALIASES, type PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { byteList, byteListSql } from "../identifiers/byte-lists.ts";
import { idText } from "../identifiers/ids.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { PrimaryNetworkBlock, ProposerDetails } from "./types.ts";

/** A row of `COLUMNS`: IDs in `0x` hex, `txHashes` in the form that `byteList` parses. */
export interface BlockRow extends Omit<ProposerDetails, "network" | "proposerId"> {
  readonly chain: PrimaryChain;
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly parentHash: string;
  readonly blockType: string;
  readonly blockTimestamp: string;
  readonly txHashes: string;
  readonly blockSizeBytes: number;
  readonly proposerId: string | null;
  readonly nodeId: string | null;
  readonly l1ValidatorsAccruedFees: string | null;
  readonly activeL1Validators: number | null;
  readonly currentSupply: string | null;
}

/** SELECT list of a block. */
export const COLUMNS = `chain, block_number AS "blockNumber", block_hash AS "blockHash", parent_hash AS "parentHash",
  block_type AS "blockType", block_timestamp AS "blockTimestamp", ${byteListSql("tx_hashes")} AS "txHashes",
  size_bytes AS "blockSizeBytes", proposer_id AS "proposerId", proposer_parent_id AS "proposerParentId",
  coalesce(proposer_node_id, node_id) AS "proposerNodeId", proposer_pchain_height AS "proposerPChainHeight",
  proposer_timestamp AS "proposerTimestamp", node_id AS "nodeId",
  l1_validators_accrued_fees AS "l1ValidatorsAccruedFees", active_l1_validators AS "activeL1Validators",
  current_supply AS "currentSupply"`;

/** Blocks in the API's form, in the order of the rows. */
export function blocksFromRows(network: ServedNetwork, rows: readonly BlockRow[]): PrimaryNetworkBlock[] {
  return rows.map((row) => blockFromRow(network, row));
}

function blockFromRow({ network, networkId }: ServedNetwork, row: BlockRow): PrimaryNetworkBlock {
  const { chain, blockNumber, blockTimestamp, blockHash, parentHash } = row;
  const isEvm = chain === "C";
  const txHashes = byteList(row.txHashes);
  return {
    place: { networkId, chain, blockTimestamp, blockNumber, blockHash },
    network,
    chainName: PRIMARY_CHAIN_ALIASES[chain],
    blockNumber,
    blockHash: isEvm ? blockHash : idText(blockHash),
    parentHash: isEvm ? parentHash : idText(parentHash),
    blockType: row.blockType,
    blockTimestamp,
    txCount: txHashes.length,
    txHashes: isEvm ? txHashes : txHashes.map(idText),
    blockSizeBytes: row.blockSizeBytes,
    l1ValidatorsAccruedFees: row.l1ValidatorsAccruedFees,
    activeL1Validators: row.activeL1Validators,
    currentSupply: row.currentSupply,
    proposerDetails: proposerDetails(network, row),
    nodeId: row.nodeId,
  };
}

function proposerDetails(network: NetworkName, row: BlockRow): ProposerDetails | null {
  const { proposerId, proposerParentId, proposerNodeId, proposerPChainHeight, proposerTimestamp } = row;
  if (proposerId === null) return null;
  return { network, proposerId, proposerParentId, proposerNodeId, proposerPChainHeight, proposerTimestamp };
}
