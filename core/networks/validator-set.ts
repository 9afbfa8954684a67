import type pg from "pg";

/** The key of a validator set: ids as hex digits without `0x`, and a height of the P-Chain. */
export interface ValidatorSetKey {
  readonly networkId: number;
  /** Zeros for the primary network. */
  readonly subnetId: string;
  readonly height: bigint;
}

/** A node with its delegators, or an L1 validation. */
export interface ValidatorSetEntry {
  /** Hex digits; null for an inactive L1 validator, which counts with its weight but cannot sign. */
  readonly nodeId: string | null;
  readonly weight: bigint;
  /** BLS public key in its compressed form of 48 bytes, as hex digits; null if it has none. */
  readonly publicKey: string | null;
}

interface Row {
  readonly node_id: Buffer | null;
  readonly weight: string;
  readonly public_key: Buffer | null;
}

const PRIMARY_NETWORK = "00".repeat(32);

/** A validator of a subnet that is not an L1 signs with the key of its node in the primary network. */
const SET = `SELECT w.node_id, w.weight::text, coalesce(w.bls_public_key, p.bls_public_key) AS public_key
  FROM validator_weights w
    LEFT JOIN validator_weights p ON p.network_id = $1 AND p.subnet_id = $4 AND p.entry_id = w.node_id
      AND p.block_number <= $3 AND p.until_block > $3
  WHERE w.network_id = $1 AND w.subnet_id = $2 AND w.block_number <= $3 AND w.until_block > $3`;

/**
 * Reads the validator set of a subnet after a block of the P-Chain, in no particular order: what `platform.getValidatorsAt` of a
 * node returns. Empty if the subnet had no validators. The caller checks that the height is indexed.
 */
export async function loadValidatorSet(
  pool: Pick<pg.Pool, "query">,
  { networkId, subnetId, height }: ValidatorSetKey,
): Promise<ValidatorSetEntry[]> {
  const values = [networkId, `\\x${subnetId}`, height.toString(), `\\x${PRIMARY_NETWORK}`];
  const { rows } = await pool.query<Row>(SET, values);
  return rows.map(({ node_id, weight, public_key }) => ({
    nodeId: node_id?.toString("hex") ?? null,
    weight: BigInt(weight),
    publicKey: public_key?.toString("hex") ?? null,
  }));
}
