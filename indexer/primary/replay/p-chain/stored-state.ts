import type { Session } from "../../../shared/writer.ts";
import { loadRows } from "../store/rows.ts";
import { countActive } from "./l1-validators.ts";
import { createStakerSet } from "./staker-set.ts";
import type { PState } from "./state.ts";
import { createValidatorWeights, LIVE } from "./validator-weights.ts";

const COLUMNS = [
  "chain_timestamp",
  "current_supply",
  "fee_capacity",
  "fee_excess",
  "l1_fee_excess",
  "l1_accrued_fees",
  "active_l1_validators",
  "staker_count",
  "reward_count",
  "subnet_count",
  "blockchain_count",
  "l1_validator_count",
] as const;

/**
 * Writes the part of the P-Chain's state that is not in rows of stakers, subnets, L1 validators and validator weights, without the open
 * proposal.
 */
export async function storePState(session: Session, networkId: number, state: PState): Promise<void> {
  const { timestamp, currentSupply, gas, l1FeeExcess, l1AccruedFees, counts } = state;
  const values = [
    timestamp,
    currentSupply,
    gas.capacity,
    gas.excess,
    l1FeeExcess,
    l1AccruedFees,
    countActive(state),
    counts.stakers,
    counts.rewards,
    counts.subnets,
    counts.blockchains,
    counts.l1Validators,
  ];
  await session.query(
    `INSERT INTO p_chain_states (network_id, ${COLUMNS.join(", ")})
     VALUES ($1, ${COLUMNS.map((_, i) => `$${i + 2}`).join(", ")})
     ON CONFLICT (network_id) DO UPDATE SET ${COLUMNS.map((name) => `${name} = excluded.${name}`).join(", ")}`,
    [networkId, ...values.map(String)],
  );
}

/** Reads the P-Chain's state, without the open proposal; null before the genesis. */
export async function loadPState(session: Session, networkId: number): Promise<PState | null> {
  const [row] = await session.query<Record<(typeof COLUMNS)[number], string>>(
    `SELECT ${COLUMNS.map((name) => `${name}::text`).join(", ")} FROM p_chain_states WHERE network_id = $1`,
    [networkId],
  );
  if (!row) return null;
  const stakers = await loadRows(session, "stakers", networkId, "status IN ('PENDING', 'ACTIVE') ORDER BY staker_seq");
  const subnets = await loadRows(session, "subnets", networkId, "true");
  const validators = await loadRows(session, "l1_validators", networkId, "NOT is_removed ORDER BY validator_seq");
  const weights = await loadRows(session, "validator_weights", networkId, `until_block = ${LIVE}`);
  return {
    timestamp: Number(row.chain_timestamp),
    currentSupply: BigInt(row.current_supply),
    gas: { capacity: BigInt(row.fee_capacity), excess: BigInt(row.fee_excess) },
    l1FeeExcess: BigInt(row.l1_fee_excess),
    l1AccruedFees: BigInt(row.l1_accrued_fees),
    proposal: null,
    stakers: createStakerSet(stakers),
    subnets: new Map(subnets.map((subnet) => [subnet.subnet_id, subnet])),
    l1Validators: new Map(validators.map((validator) => [validator.validation_id, validator])),
    weights: createValidatorWeights(weights, validators),
    counts: {
      stakers: Number(row.staker_count),
      rewards: Number(row.reward_count),
      subnets: Number(row.subnet_count),
      blockchains: Number(row.blockchain_count),
      l1Validators: Number(row.l1_validator_count),
      l1s: subnets.filter(({ conversion_tx_hash }) => conversion_tx_hash !== null).length,
    },
  };
}
