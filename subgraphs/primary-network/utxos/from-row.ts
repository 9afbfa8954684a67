import type { Work } from "../../../core/work/work.ts";
import { type Assets, namedAsset } from "../assets/amounts.ts";
import type { AssetStore } from "../assets/store.ts";
import type { NamedAsset } from "../assets/types.ts";
import { addressTexts } from "../networks/addresses.ts";
import { chainIdText } from "../networks/chains.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { UtxoRow } from "./rows.ts";
import type { PrimaryNetworkUtxo } from "./types.ts";

/** Outputs in the API's form, in the order of the rows. One statement at most, for their assets. */
export async function utxosFromRows(
  network: ServedNetwork,
  assets: AssetStore,
  rows: readonly UtxoRow[],
  work: Work,
): Promise<PrimaryNetworkUtxo[]> {
  return utxosOf(network, await assets.byIds(network, assetIdsOf(rows), work), rows);
}

/** The IDs of the assets of outputs. Outputs that follow each other mostly have the same one, which is faster to compare than to find. */
export function assetIdsOf(rows: readonly UtxoRow[]): Set<string> {
  const ids = new Set<string>();
  let last: string | null = null;
  for (const { assetId } of rows) {
    if (assetId === last) continue;
    last = assetId;
    ids.add(assetId);
  }
  return ids;
}

/** Outputs in the API's form, in the order of the rows, with assets that were read before. */
export function utxosOf(network: ServedNetwork, assets: Assets, rows: readonly UtxoRow[]): PrimaryNetworkUtxo[] {
  const utxos: PrimaryNetworkUtxo[] = [];
  let asset: NamedAsset | null = null;
  let owners: string | null = null;
  let addresses: readonly string[] = [];
  for (const row of rows) {
    if (asset === null || row.assetId !== asset.assetId) asset = namedAsset(network.network, assets, row.assetId);
    if (row.addresses !== owners) {
      owners = row.addresses;
      addresses = addressTexts(network, owners);
    }
    utxos.push(utxoFromRow(network, asset, addresses, row));
  }
  return utxos;
}

/** All outputs of an asset share one string object as asset ID; comparing it with itself is fast. */
function utxoFromRow(
  network: ServedNetwork,
  { assetId, name, symbol, denomination }: NamedAsset,
  addresses: readonly string[],
  row: UtxoRow,
): PrimaryNetworkUtxo {
  const { amount, outputType, stakeableLocktime, role } = row;
  const type = outputType.startsWith("nftfx.") ? "nft" : "secp256k1";
  return {
    row,
    network: network.network,
    utxoId: row.utxoId,
    txHash: row.txHash,
    outputIndex: row.outputIndex,
    outputIndexText: row.outputIndex,
    addresses,
    threshold: Number(row.threshold),
    asset: { network: network.network, assetId, name, symbol, denomination, type, amount },
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
