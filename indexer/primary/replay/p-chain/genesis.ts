import { emittedOutputs } from "../../decode/outputs.ts";
import type { NetworkFacts } from "../../network/network.ts";
import type { Batch } from "../store/batch.ts";
import { utxoRow } from "../transactions/utxo-row.ts";
import { createStakerSet } from "./staker-set.ts";
import { addStaker } from "./stakers.ts";
import type { PState } from "./state.ts";
import { blockchainRow } from "./subnets.ts";
import { createValidatorWeights } from "./validator-weights.ts";

/** The P-Chain's state before block 0. Adds its rows to the batch. */
export function applyPGenesis(batch: Batch, network: NetworkFacts): PState {
  const { p } = network.genesis;
  const state: PState = {
    timestamp: p.timestamp,
    currentSupply: p.initialSupply,
    gas: { capacity: 0n, excess: 0n },
    l1FeeExcess: 0n,
    l1AccruedFees: 0n,
    proposal: null,
    stakers: createStakerSet(),
    subnets: new Map(),
    l1Validators: new Map(),
    weights: createValidatorWeights(),
    counts: { stakers: 0, rewards: 0, subnets: 0, blockchains: 0, l1Validators: 0, l1s: 0 },
  };
  const position = { chain: "P" as const, blockNumber: 0, timestamp: p.timestamp };
  for (const utxo of p.utxos) batch.create(utxoRow(position, utxo, "GENESIS"));
  for (const tx of p.validators) {
    const staker = addStaker({ state, batch, network }, tx, Number(tx.validator.start));
    const times = { stake_start: staker.start_timestamp, stake_end: staker.end_timestamp };
    for (const { outputIndex, assetId, output, role } of emittedOutputs(tx))
      batch.create(utxoRow(position, { txId: tx.id, outputIndex, assetId, output }, role.toUpperCase(), times));
  }
  for (const tx of p.chains) batch.add("blockchains", blockchainRow(state, tx, -1, p.timestamp));
  return state;
}
