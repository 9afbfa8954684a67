import { byteList } from "../../../subgraphs/primary-network/identifiers/byte-lists.ts";
import { idText } from "../../../subgraphs/primary-network/identifiers/ids.ts";
import { addressText } from "../../../subgraphs/primary-network/networks/addresses.ts";
import { chainIdText } from "../../../subgraphs/primary-network/networks/chains.ts";
import type { ServedNetwork } from "../../../subgraphs/primary-network/networks/served-network.ts";
import type { UtxoRow } from "../../../subgraphs/primary-network/utxos/rows.ts";
import { utxoBytes } from "../../../subgraphs/primary-network/utxos/serialise.ts";

export interface AssetRow extends Record<string, unknown> {
  readonly assetId: string;
  readonly name: string;
  readonly symbol: string;
  readonly denomination: number;
  readonly type: string;
}

/** Data that the transactions of a page share. The keys are ids in `0x` hex. */
export interface Page {
  readonly network: ServedNetwork;
  readonly utxos: ReadonlyMap<string, UtxoRow>;
  readonly assets: ReadonlyMap<string, AssetRow>;
}

/** Amount by asset id. */
export type Amounts = ReadonlyMap<string, bigint>;

export const numberOf = (text: string | null): number | undefined => (text === null ? undefined : Number(text));

export function assetOf(assetId: string, amount: string, { assets }: Pick<Page, "assets">) {
  const asset = assets.get(assetId);
  return {
    assetId: idText(assetId),
    name: asset?.name ?? "",
    symbol: asset?.symbol ?? "",
    denomination: asset?.denomination ?? 0,
    type: asset?.type ?? "secp256k1",
    amount,
  };
}

/** Amounts in the form of E5, AVAX first. */
export function amountsOf(amounts: Amounts, page: Page) {
  const { avaxAssetId } = page.network;
  const rank = (assetId: string) => (assetId === avaxAssetId ? "" : assetId);
  return [...amounts]
    .filter(([, amount]) => amount > 0n)
    .sort(([one], [other]) => (rank(one) < rank(other) ? -1 : 1))
    .map(([assetId, amount]) => assetOf(assetId, String(amount), page));
}

/** An output in the form of E5. */
export function utxoOf(row: UtxoRow, page: Page) {
  const { network } = page;
  return {
    addresses: byteList(row.addresses).map((address) => addressText(network, address)),
    asset: assetOf(row.assetId, row.amount, page),
    consumedOnChainId: chainIdText(network, row.chain),
    consumingTxHash: row.consumedTxHash ? idText(row.consumedTxHash) : undefined,
    createdOnChainId: chainIdText(network, row.createdOnChain),
    utxoId: idText(row.utxoId),
    utxoBytes: utxoBytes(row) ?? undefined,
    amount: row.amount,
    assetId: idText(row.assetId),
    blockNumber: row.createdBlockNumber ?? "0",
    consumingBlockNumber: row.consumedBlockNumber ?? undefined,
    blockTimestamp: Number(row.createdTimestamp ?? 0),
    consumingBlockTimestamp: numberOf(row.consumedTimestamp),
    platformLocktime: Number(row.locktime),
    stakeableLocktime: numberOf(row.stakeableLocktime),
    outputIndex: Number(row.outputIndex),
    threshold: Number(row.threshold),
    utxoStartTimestamp: numberOf(row.stakeStart),
    utxoEndTimestamp: numberOf(row.stakeEnd),
    rewardType: row.rewardType ?? undefined,
    utxoType: row.role === "STAKE" || row.stakeableLocktime !== null ? "STAKE" : "TRANSFER",
    staked: row.role === "STAKE",
    txHash: idText(row.txHash),
  };
}
