import type { AssetStore } from "../assets/store.ts";
import { byteList } from "../identifiers/byte-lists.ts";
import type { ServedNetwork } from "../networks/store.ts";
import { shownUtxo } from "../utxos/from-row.ts";
import type { UtxoStore } from "../utxos/store.ts";
import { parseDetails } from "./details.ts";
import { type ReadTransaction, shownTransaction } from "./from-row.ts";
import type { TransactionRow } from "./rows.ts";
import type { PrimaryNetworkTransaction } from "./types.ts";

/** Transactions with their outputs and assets: plain objects, so that nothing is resolved per row. Two statements. */
export async function completeTransactions(
  network: ServedNetwork,
  rows: readonly TransactionRow[],
  { utxos, assets }: { readonly utxos: UtxoStore; readonly assets: AssetStore },
): Promise<PrimaryNetworkTransaction[]> {
  const transactions = rows.map(read);
  const utxoIds = new Set<string>();
  for (const { consumed, emitted } of transactions) {
    for (const id of consumed) utxoIds.add(id);
    for (const id of emitted) utxoIds.add(id);
  }
  const outputs = await utxos.named(network, utxoIds);
  const assetIds = new Set([network.avaxAssetId]);
  for (const { assetId } of outputs) assetIds.add(assetId);
  for (const { row, burned, details } of transactions) {
    for (const assetId of burned.keys()) assetIds.add(assetId);
    for (const { assetId } of details.evmInputs ?? []) assetIds.add(assetId);
    for (const { assetId } of details.evmOutputs ?? []) assetIds.add(assetId);
    if (row.txType === "CreateAssetTx") assetIds.add(row.txHash);
  }
  const known = await assets.named(network, assetIds);
  const shown = new Map(outputs.map((output) => [output.utxoId, shownUtxo(network, known, output)]));
  const page = { network, assets: known, utxos: shown };
  return transactions.map((transaction) => shownTransaction(page, transaction));
}

function read(row: TransactionRow): ReadTransaction {
  const amounts = row.burnedAmounts.split(",");
  return {
    row,
    consumed: byteList(row.consumedUtxoIds),
    emitted: byteList(row.emittedUtxoIds),
    burned: new Map(byteList(row.burnedAssetIds).map((assetId, index) => [assetId, BigInt(amounts[index] ?? 0)])),
    details: parseDetails(row.details),
  };
}
