import type { AnyTransaction } from "../../../../core/formats/codec/transactions/credentials.ts";
import type { ChainPosition } from "../store/batch.ts";
import type { RowOf } from "../store/tables.ts";
import type { TypeColumns } from "./type-columns.ts";
import type { UtxoChanges } from "./utxo-changes.ts";

type TransactionRow = RowOf<"primary_transactions">;

/** The row of a transaction. AVAX that went into balances of L1 validators does not count as burned. */
export function transactionRow(
  { chain, blockNumber, blockHash, vertexIndex, timestamp }: ChainPosition,
  txSeq: number,
  tx: AnyTransaction,
  { consumedIds, emittedIds, burned }: UtxoChanges,
  { details, ...columns }: TypeColumns,
  avaxAssetId: string,
): TransactionRow {
  const intoBalances = columns.l1_balance_burned ?? 0n;
  const assets = [...burned]
    .map(([assetId, amount]) => [assetId, assetId === avaxAssetId ? amount - BigInt(intoBalances) : amount] as const)
    .filter(([, amount]) => amount > 0n)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    chain,
    tx_seq: txSeq,
    tx_hash: tx.id,
    tx_type: tx.txType,
    block_number: blockNumber,
    block_hash: blockHash,
    vertex_index: vertexIndex,
    block_timestamp: timestamp,
    memo: "memo" in tx ? tx.memo : "",
    source_chain: "sourceChain" in tx ? tx.sourceChain : null,
    destination_chain: "destinationChain" in tx ? tx.destinationChain : null,
    consumed_utxo_ids: consumedIds,
    emitted_utxo_ids: emittedIds,
    burned_asset_ids: assets.map(([assetId]) => assetId),
    burned_amounts: assets.map(([, amount]) => amount),
    l1_balance_burned: 0n,
    start_timestamp: null,
    end_timestamp: null,
    delegation_shares: null,
    node_id: null,
    subnet_id: null,
    reward_addresses: [],
    staking_tx_hash: null,
    bls_public_key: null,
    bls_proof_of_possession: null,
    ...columns,
    details: details ? JSON.stringify(details) : null,
  };
}
