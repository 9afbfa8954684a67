import { type Assets, assetAmount } from "../assets/amounts.ts";
import type { AssetStore } from "../assets/store.ts";
import { addressTexts } from "../networks/addresses.ts";
import { chainIdText } from "../networks/chains.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { UtxoRow } from "./rows.ts";
import type { PrimaryNetworkUtxo } from "./types.ts";

/** Outputs in the API's form, in the order of the rows. One statement, for their assets. */
export async function utxosFromRows(
  network: ServedNetwork,
  assets: AssetStore,
  rows: readonly UtxoRow[],
): Promise<PrimaryNetworkUtxo[]> {
  const known = await assets.byIds(network, new Set(rows.map(({ assetId }) => assetId)));
  return rows.map((row) => utxoFromRow(network, known, row));
}

/** An output in the API's form. */
export function utxoFromRow(network: ServedNetwork, assets: Assets, row: UtxoRow): PrimaryNetworkUtxo {
  const { assetId, amount, outputType, stakeableLocktime, role } = row;
  return {
    row,
    network: network.network,
    utxoId: row.utxoId,
    txHash: row.txHash,
    outputIndex: row.outputIndex,
    outputIndexText: row.outputIndex,
    addresses: addressTexts(network, row.addresses),
    threshold: Number(row.threshold),
    asset: assetAmount(assets, assetId, amount, outputType.startsWith("nftfx.") ? "nft" : "secp256k1"),
    assetId,
    amount,
    createdOnChainId: chainIdText(network, row.createdOnChain),
    consumedOnChainId: chainIdText(network, row.chain),
    blockNumber: row.createdBlockNumber ?? "0",
    blockTimestamp: row.createdTimestamp ?? "0",
    consumingTxHash: row.consumedTxHash,
    consumingBlockNumber: row.consumedBlockNumber,
    consumingBlockTimestamp: row.consumedTimestamp,
    platformLocktime: row.locktime,
    stakeableLocktime,
    utxoType: role === "STAKE" || stakeableLocktime !== null ? "STAKE" : "TRANSFER",
    staked: role === "STAKE",
    utxoStartTimestamp: row.stakeStart,
    utxoEndTimestamp: row.stakeEnd,
    rewardType: row.rewardType,
    groupId: row.groupId,
    payload: row.payload,
  };
}

/** Kind of an output: `transfer` for `secp256k1fx.TransferOutput`, and so on. */
export function outputKind({ row: { outputType } }: PrimaryNetworkUtxo): string {
  return outputType.slice(outputType.indexOf(".") + 1, -"Output".length).toLowerCase();
}
