import { entryKey } from "./entry-key.ts";
import type { L1ValidatorRow, PState, StateChange, ValidatorWeights, WeightRow } from "./state.ts";

type Entry = Pick<WeightRow, "weight" | "node_id" | "bls_public_key">;

/** `until_block` of a row that is still valid: the largest number that the column holds. */
export const LIVE = 2n ** 63n - 1n;

/** All entries count as changed: a proposal block may have changed them before its state was stored, without writing weights. */
export function createValidatorWeights(
  live: readonly WeightRow[] = [],
  validators: readonly L1ValidatorRow[] = [],
): ValidatorWeights {
  const rows = new Map(live.map((row) => [entryKey(row.subnet_id, row.entry_id), row]));
  const added = validators.map((row) => entryKey(row.subnet_id, row.validation_id));
  return { live: rows, changed: new Set([...rows.keys(), ...added]) };
}

/**
 * Adds rows for the entries whose weight, node or key differs after this block. As on nodes, the set at a height includes the
 * changes of the block at this height.
 */
export function storeWeights({ state, batch }: Pick<StateChange, "state" | "batch">, blockNumber: number): void {
  const { stakers, weights } = state;
  const { live, changed } = weights;
  for (const key of new Set([...stakers.changedNodes, ...changed])) {
    const last = live.get(key);
    const [subnetId = "", entryId = ""] = key.split(" ");
    const next = entryOf(state, subnetId, entryId);
    if (last && next && isSame(last, next)) continue;
    if (last) {
      last.until_block = blockNumber;
      batch.changed.validator_weights.set(`${key} ${last.block_number}`, last);
      live.delete(key);
    }
    if (next) {
      const row = { subnet_id: subnetId, entry_id: entryId, block_number: blockNumber, until_block: LIVE, ...next };
      batch.changed.validator_weights.set(`${key} ${blockNumber}`, row);
      live.set(key, row);
    }
  }
  stakers.changedNodes.clear();
  changed.clear();
}

/** The weight and key of an entry now; null if it is not in the set. */
function entryOf({ stakers, l1Validators }: PState, subnetId: string, entryId: string): Entry | null {
  const validation = l1Validators.get(entryId);
  if (validation) return l1Entry(validation);
  const active = [...stakers.activeOf(subnetId, entryId)];
  const validator = active.find(({ kind }) => kind === "VALIDATOR");
  if (!validator) return null;
  return {
    weight: active.reduce((sum, { weight }) => sum + BigInt(weight), 0n),
    node_id: entryId,
    bls_public_key: validator.bls_public_key,
  };
}

/** An inactive L1 validator counts with its weight, but has neither node nor key. */
function l1Entry({ weight, is_active, node_id, bls_public_key }: L1ValidatorRow): Entry {
  return { weight, node_id: is_active ? node_id : null, bls_public_key: is_active ? bls_public_key : null };
}

function isSame(one: Entry, other: Entry): boolean {
  return (
    BigInt(one.weight) === BigInt(other.weight) &&
    one.node_id === other.node_id &&
    one.bls_public_key === other.bls_public_key
  );
}
