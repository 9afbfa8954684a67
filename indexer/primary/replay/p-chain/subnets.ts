import type { PTransactionOf } from "../../../../core/formats/codec/transactions/p-transactions.ts";
import type { ChainPosition } from "../store/batch.ts";
import { storableText } from "../store/rows.ts";
import { evmChainIdOf } from "./evm-chain-id.ts";
import { NoEffect } from "./no-effect.ts";
import type { PReplay, PState, SubnetRow } from "./state.ts";

/** Adds the row of a new subnet to the state and the batch. */
export function createSubnet(
  { state, batch }: PReplay,
  tx: PTransactionOf<"CreateSubnetTx">,
  { blockNumber, timestamp }: ChainPosition,
): void {
  const { locktime, threshold, addresses } = tx.owner;
  const row: SubnetRow = {
    subnet_id: tx.id,
    subnet_seq: state.counts.subnets++,
    create_block_number: blockNumber ?? 0,
    create_timestamp: timestamp,
    create_owner_addresses: addresses,
    create_owner_threshold: threshold,
    create_owner_locktime: locktime,
    owner_addresses: addresses,
    owner_threshold: threshold,
    owner_locktime: locktime,
    conversion_tx_hash: null,
    conversion_timestamp: null,
    manager_chain_id: null,
    manager_address: null,
    transform_tx_hash: null,
    staking_asset_id: null,
    current_supply: null,
    maximum_supply: null,
    min_consumption_rate: null,
    max_consumption_rate: null,
  };
  state.subnets.set(tx.id, row);
  batch.changed.subnets.set(tx.id, row);
}

/** Changes columns of a subnet's row. Throws `NoEffect` if the subnet does not exist. */
export function changeSubnet(
  { state, batch }: Pick<PReplay, "state" | "batch">,
  subnetId: string,
  change: Partial<SubnetRow>,
): void {
  const row = state.subnets.get(subnetId);
  if (!row) throw new NoEffect(`a transaction changes subnet ${subnetId}, which does not exist`);
  Object.assign(row, change);
  batch.changed.subnets.set(subnetId, row);
}

/** The row of a new blockchain. Those of the genesis have block number -1. */
export function blockchainRow(
  state: PState,
  tx: PTransactionOf<"CreateChainTx">,
  blockNumber: number,
  timestamp: number,
) {
  const genesis = Buffer.from(tx.genesisData.buffer, tx.genesisData.byteOffset, tx.genesisData.byteLength);
  return {
    blockchain_id: tx.id,
    blockchain_seq: state.counts.blockchains++,
    subnet_id: tx.subnetId,
    create_block_number: blockNumber,
    create_timestamp: timestamp,
    vm_id: tx.vmId,
    name: storableText(tx.chainName),
    genesis_data: genesis.toString("hex"),
    evm_chain_id: evmChainIdOf(genesis),
  };
}
