import { BadUpstreamData } from "../../../../core/errors/errors.ts";
import type { PBlock } from "../../../../core/formats/codec/blocks/p-blocks.ts";
import type { PTransaction } from "../../../../core/formats/codec/transactions/p-transactions.ts";
import type { ChainPosition } from "../store/batch.ts";
import type { ProposerColumns } from "../store/proposer-columns.ts";
import { rewardAutoRenewed } from "./auto-renewal.ts";
import { endStateAfter } from "./end-state.ts";
import { gasAfter, gasOf } from "./gas.ts";
import { chargeL1Fees, countActive, deactivateUnableToPay } from "./l1-validators.ts";
import { ifPossible } from "./no-effect.ts";
import type { Decision } from "./payout.ts";
import { decideStaker, rewardStaker } from "./rewards.ts";
import { startAndEndStakers } from "./stakers.ts";
import type { PReplay } from "./state.ts";
import { applyTransaction } from "./transactions.ts";
import { storeWeights } from "./validator-weights.ts";

/**
 * Applies the next block to the state and adds its rows to the batch. Throws `BadUpstreamData` if it cannot be a block of this
 * chain.
 */
export function applyPBlock(replay: PReplay, block: PBlock, proposer: ProposerColumns): void {
  const { state, batch } = replay;
  const positionAt = (timestamp: number): ChainPosition => ({
    chain: "P",
    blockNumber: block.height,
    blockHash: block.id,
    vertexIndex: null,
    timestamp,
  });
  const isDecision = block.blockType.endsWith("CommitBlock") || block.blockType.endsWith("AbortBlock");
  if (state.proposal && !isDecision)
    throw new BadUpstreamData(`block ${block.height} does not decide on the proposal of the block before it`);
  if (isDecision) applyDecision(replay, block, positionAt);
  else {
    if (block.time !== null) advanceTime(replay, block.time);
    const proposed = block.blockType.endsWith("ProposalBlock") ? block.transactions.at(-1) : undefined;
    const position = positionAt(state.timestamp);
    consumeGas(replay, proposed ? block.transactions.slice(0, -1) : block.transactions);
    for (const tx of block.transactions) applyTransaction(replay, tx, position, tx === proposed);
    if (isAfterEtna(replay)) deactivateUnableToPay(replay);
  }
  // Nodes apply the changes of a proposal block together with those of the decision on it.
  if (!state.proposal) storeWeights(replay, block.height);
  const { id, height, parentId, blockType, transactions, size } = block;
  batch.pChainHours.endBlock(state.timestamp, endStateAfter(replay, height));
  batch.add("primary_blocks", {
    chain: "P",
    block_number: height,
    block_hash: id,
    parent_hash: parentId,
    block_type: blockType,
    block_timestamp: state.timestamp,
    tx_hashes: transactions.map((tx) => tx.id),
    size_bytes: size,
    ...proposer,
    l1_validators_accrued_fees: state.l1AccruedFees,
    active_l1_validators: countActive(state),
    current_supply: state.currentSupply,
  });
}

const isAfterEtna = ({ state, network }: PReplay): boolean => state.timestamp >= network.upgrades.etna;

function advanceTime(replay: PReplay, timestamp: number): void {
  const { state, network } = replay;
  const seconds = timestamp - state.timestamp;
  if (seconds < 0)
    throw new BadUpstreamData(
      `a block of the P-Chain sets the chain's time back from ${state.timestamp} to ${timestamp}`,
    );
  startAndEndStakers(replay, timestamp);
  if (timestamp >= network.upgrades.etna) {
    state.gas = gasAfter(network.dynamicFees, state.gas, BigInt(seconds));
    chargeL1Fees(replay, seconds);
  }
  state.timestamp = timestamp;
}

function consumeGas(replay: PReplay, transactions: readonly PTransaction[]): void {
  if (!isAfterEtna(replay)) return;
  const { state, network } = replay;
  const gas = transactions.reduce((sum, tx) => sum + gasOf(network.dynamicFees, tx), 0n);
  const capacity = state.gas.capacity - gas;
  if (capacity < 0n)
    throw new BadUpstreamData(
      `a block of the P-Chain uses ${gas} gas, but the capacity is ${state.gas.capacity}: the network's fee parameters probably differ from those that the rows were computed with`,
    );
  state.gas = { capacity, excess: state.gas.excess + gas };
}

/** Applies a commit or abort block to the open proposal. */
function applyDecision(replay: PReplay, block: PBlock, positionAt: (timestamp: number) => ChainPosition): void {
  const { state } = replay;
  const { proposal } = state;
  // Block 0 is a commit without a proposal.
  if (!proposal) {
    if (block.height > 0) throw new BadUpstreamData(`block ${block.height} is a decision without a proposal before it`);
    return;
  }
  state.proposal = null;
  const isCommitted = block.blockType.endsWith("CommitBlock");
  const { tx } = proposal;
  if (proposal.isRepeated && isCommitted) replay.batch.moved.push(proposal.txSeq);
  if (tx.txType === "AdvanceTimeTx") {
    if (isCommitted) advanceTime(replay, tx.time);
    return;
  }
  if (proposal.isRepeated) return;
  const decision: Decision = { ...replay, proposal, isCommitted, position: positionAt(state.timestamp) };
  ifPossible({ batch: replay.batch, txSeq: proposal.txSeq, txId: tx.id }, () => {
    if (tx.txType === "RewardValidatorTx") rewardStaker(decision, tx.txId);
    else if (tx.txType === "RewardAutoRenewedValidatorTx") rewardAutoRenewed(decision, tx.txId);
    else decideStaker(decision);
  });
}
