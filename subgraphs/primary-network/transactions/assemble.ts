import type { Work } from "../../../core/work/work.ts";
import type { AssetStore } from "../assets/store.ts";
import { byteList } from "../identifiers/byte-lists.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { assetIdsOf, utxosOf } from "../utxos/from-row.ts";
import type { UtxoStore } from "../utxos/store.ts";
import type { PrimaryNetworkUtxo } from "../utxos/types.ts";
import { parseDetails } from "./details.ts";
import { type ParsedTransaction, transactionFromRow } from "./from-row.ts";
import type { TransactionRow } from "./rows.ts";
import type { PrimaryNetworkTransaction } from "./types.ts";

/** Builds the transactions of the rows with their outputs and assets, which need at most two statements for all rows together. */
export async function assembleTransactions(
  network: ServedNetwork,
  rows: readonly TransactionRow[],
  { utxos, assets }: { readonly utxos: UtxoStore; readonly assets: AssetStore },
  work: Work,
): Promise<PrimaryNetworkTransaction[]> {
  const transactions = rows.map(parseRow);
  const lists = rows.flatMap(({ consumedUtxoIds, emittedUtxoIds }) => [consumedUtxoIds, emittedUtxoIds]);
  const outputs = await utxos.ofLists(network, lists, work);
  const assetIds = assetIdsOf(outputs).add(network.avaxAssetId);
  for (const { row, burned, details } of transactions) {
    for (const assetId of burned.keys()) assetIds.add(assetId);
    for (const { assetId } of details.evmInputs ?? []) assetIds.add(assetId);
    for (const { assetId } of details.evmOutputs ?? []) assetIds.add(assetId);
    if (row.txType === "CreateAssetTx") assetIds.add(row.txHash);
  }
  const known = await assets.byIds(network, assetIds, work);
  const byId = new Map<string, PrimaryNetworkUtxo>();
  for (const utxo of utxosOf(network, known, outputs)) byId.set(utxo.utxoId, utxo);
  const page = { network, assets: known, utxos: byId };
  return transactions.map((transaction) => transactionFromRow(page, transaction));
}

function parseRow(row: TransactionRow): ParsedTransaction {
  const amounts = row.burnedAmounts.split(",");
  return {
    row,
    consumed: byteList(row.consumedUtxoIds),
    emitted: byteList(row.emittedUtxoIds),
    burned: new Map(byteList(row.burnedAssetIds).map((assetId, index) => [assetId, BigInt(amounts[index] ?? 0)])),
    details: parseDetails(row.details),
  };
}
