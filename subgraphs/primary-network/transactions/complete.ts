import { type AssetStore, type Assets, assetAmounts } from "../assets/store.ts";
import type { AssetAmount } from "../assets/types.ts";
import { byteList } from "../byte-lists.ts";
import type { ServedNetwork } from "../networks/store.ts";
import { shownUtxo } from "../utxos/shown.ts";
import type { UtxoStore } from "../utxos/store.ts";
import type { PrimaryNetworkUtxo } from "../utxos/types.ts";
import { describedTransaction } from "./described.ts";
import { type Account, type Details, parseDetails } from "./details.ts";
import type { TransactionRow } from "./rows.ts";
import type { PrimaryNetworkTransaction } from "./types.ts";

/** A row with its lists read. */
interface Read {
  readonly row: TransactionRow;
  readonly consumed: readonly string[];
  readonly emitted: readonly string[];
  readonly burned: ReadonlyMap<string, bigint>;
  readonly details: Details;
}

/** What the transactions of a page share. */
interface Shared {
  readonly network: ServedNetwork;
  readonly assets: Assets;
  readonly utxos: ReadonlyMap<string, PrimaryNetworkUtxo>;
}

/** Transactions with their outputs and assets: plain objects, so that nothing is resolved per row. Two statements. */
export async function completeTransactions(
  network: ServedNetwork,
  rows: readonly TransactionRow[],
  { utxos, assets }: { readonly utxos: UtxoStore; readonly assets: AssetStore },
): Promise<PrimaryNetworkTransaction[]> {
  const transactions = rows.map(read);
  const utxoIds = new Set(transactions.flatMap(({ consumed, emitted }) => [...consumed, ...emitted]));
  const outputs = await utxos.named(network, utxoIds);
  const assetIds = new Set(outputs.map(({ assetId }) => assetId).concat(network.avaxAssetId));
  for (const { row, burned, details } of transactions) {
    for (const assetId of burned.keys()) assetIds.add(assetId);
    for (const { assetId } of accountsOf(details)) assetIds.add(assetId);
    if (row.txType === "CreateAssetTx") assetIds.add(row.txHash);
  }
  const known = await assets.named(network, assetIds);
  const shown = new Map(outputs.map((output) => [output.utxoId, shownUtxo(network, known, output)]));
  return transactions.map((transaction) => completed({ network, assets: known, utxos: shown }, transaction));
}

function read(row: TransactionRow): Read {
  const amounts = row.burnedAmounts.split(",");
  return {
    row,
    consumed: byteList(row.consumedUtxoIds),
    emitted: byteList(row.emittedUtxoIds),
    burned: new Map(byteList(row.burnedAssetIds).map((assetId, index) => [assetId, BigInt(amounts[index] ?? 0)])),
    details: parseDetails(row.details),
  };
}

const accountsOf = ({ evmInputs = [], evmOutputs = [] }: Details): Account[] => [...evmInputs, ...evmOutputs];

type Amount = Pick<AssetAmount, "assetId" | "amount">;

function sumOf(...lists: readonly (readonly Amount[])[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const list of lists)
    for (const { assetId, amount } of list) sums.set(assetId, (sums.get(assetId) ?? 0n) + BigInt(amount));
  return sums;
}

function found(utxos: Shared["utxos"], ids: readonly string[]): PrimaryNetworkUtxo[] {
  return ids.map((id) => utxos.get(id)).filter((utxo) => utxo !== undefined);
}

const isOfOtherChain = ({ row: { role } }: PrimaryNetworkUtxo): boolean => role === "EXPORTED";

/** Makes no function that bears a name: it runs for every row, and tsx writes the name of each one that is made. */
function completed(shared: Shared, { row, consumed, emitted, burned, details }: Read): PrimaryNetworkTransaction {
  const { network, assets, utxos } = shared;
  const { txType, txHash, l1BalanceBurned } = row;
  const [consumedUtxos, emittedUtxos] = [found(utxos, consumed), found(utxos, emitted)];
  const { evmInputs = [], evmOutputs = [] } = details;
  const staked = emittedUtxos.filter((utxo) => utxo.staked && utxo.txHash === txHash);
  return {
    ...describedTransaction(network, assets, row, details),
    consumedUtxos,
    emittedUtxos,
    importedUtxos: txType === "ImportTx" ? consumedUtxos.filter(isOfOtherChain) : null,
    exportedUtxos: txType === "ExportTx" ? emittedUtxos.filter(isOfOtherChain) : null,
    value: assetAmounts(network, assets, sumOf(emittedUtxos, evmOutputs)),
    // Read when asked for: the contract's shape does not have it.
    get amountUnlocked() {
      return assetAmounts(network, assets, sumOf(consumedUtxos, evmInputs));
    },
    amountBurned: assetAmounts(network, assets, burned),
    amountStaked: assetAmounts(network, assets, sumOf(staked)),
    amountL1ValidatorBalanceBurned: assetAmounts(
      network,
      assets,
      new Map([[network.avaxAssetId, BigInt(l1BalanceBurned)]]),
    ),
  };
}
