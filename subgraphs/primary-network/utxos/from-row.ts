import { type AssetStore, type Assets, assetAmount } from "../assets/store.ts";
import { byteList } from "../identifiers/byte-lists.ts";
import { addressText } from "../networks/addresses.ts";
import { chainIdText } from "../networks/chains.ts";
import type { ServedNetwork } from "../networks/store.ts";
import type { UtxoRow } from "./store.ts";
import type { PrimaryNetworkUtxo } from "./types.ts";

/** Outputs as callers see them. One statement, for their assets. */
export async function shownUtxos(
  network: ServedNetwork,
  assets: AssetStore,
  rows: readonly UtxoRow[],
): Promise<PrimaryNetworkUtxo[]> {
  const known = await assets.named(network, new Set(rows.map(({ assetId }) => assetId)));
  return rows.map((row) => shownUtxo(network, known, row));
}

/** An output as callers see it. */
export function shownUtxo(network: ServedNetwork, assets: Assets, row: UtxoRow): PrimaryNetworkUtxo {
  const { assetId, amount, stakeableLocktime, role } = row;
  return {
    row,
    network: network.network,
    utxoId: row.utxoId,
    txHash: row.txHash,
    outputIndex: row.outputIndex,
    outputIndexText: row.outputIndex,
    addresses: byteList(row.addresses).map((address) => addressText(network, address)),
    threshold: Number(row.threshold),
    asset: assetAmount(assets, assetId, amount),
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
    outputKind: kindOf(row.outputType),
    groupId: row.groupId,
    payload: row.payload,
  };
}

/** `transfer` of `secp256k1fx.TransferOutput`, and so on. */
function kindOf(outputType: string): string {
  return outputType.slice(outputType.indexOf(".") + 1, -"Output".length).toLowerCase();
}
