import { utxoId } from "../../../../core/formats/codec/bytes/hashes.ts";
import type { Output } from "../../decode/outputs.ts";
import type { ChainPosition } from "../store/batch.ts";
import type { RowOf } from "../store/tables.ts";

type UtxoRow = RowOf<"utxos">;

/** The columns of `utxos` that an output of any type has. */
export function outputColumns(output: Output) {
  const [stakeableLocktime, inner] =
    output.type === "stakeable.LockOut" ? [output.locktime, output.output] : [null, output];
  return {
    output_type: inner.type,
    amount: "amount" in inner ? inner.amount : 0n,
    locktime: inner.locktime,
    threshold: inner.threshold,
    addresses: inner.addresses,
    stakeable_locktime: stakeableLocktime,
    group_id: "groupId" in inner ? inner.groupId : null,
    payload: "payload" in inner ? inner.payload : null,
  };
}

/** The row of a new, unspent output. */
export function utxoRow(
  { chain, blockNumber, timestamp }: Pick<ChainPosition, "chain" | "blockNumber" | "timestamp">,
  { txId, outputIndex, assetId, output }: { txId: string; outputIndex: number; assetId: string; output: Output },
  role: string,
  more: Partial<UtxoRow> = {},
): UtxoRow {
  return {
    utxo_id: utxoId(txId, outputIndex),
    tx_hash: txId,
    output_index: outputIndex,
    asset_id: assetId,
    ...outputColumns(output),
    role,
    reward_type: null,
    stake_start: null,
    stake_end: null,
    created_on_chain: chain,
    chain,
    created_block_number: blockNumber,
    created_timestamp: timestamp,
    consumed_tx_hash: null,
    consumed_block_number: null,
    consumed_timestamp: null,
    ...more,
  };
}
