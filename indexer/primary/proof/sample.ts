import { randomBytes } from "node:crypto";
import type { ComparisonDeps } from "../verify/comparison.ts";

/** Ids (hex) of what one comparison compares. */
export interface Sample {
  readonly subnets: readonly string[];
  /** Nodes that validate the primary network. */
  readonly nodes: readonly string[];
  readonly validations: readonly string[];
  /** Addresses that own unspent outputs. */
  readonly owners: readonly string[];
}

export const EMPTY_SAMPLE: Sample = { subnets: [], nodes: [], validations: [], owners: [] };

/** Number of things of each kind. */
const COUNTS = { subnets: 3, nodes: 3, validations: 5, owners: 5 } as const;
/** Addresses with more unspent outputs are left out: a node returns only 1,024 of them at once. */
const MAX_OUTPUTS = 500;

const SUBNETS = `SELECT encode(subnet_id, 'hex') AS id FROM subnets WHERE network_id = $1 ORDER BY random() LIMIT ${COUNTS.subnets}`;

const NODES = `SELECT DISTINCT encode(node_id, 'hex') AS id FROM (
    SELECT node_id FROM stakers WHERE network_id = $1 AND subnet_id = decode(repeat('00', 32), 'hex') AND status = 'ACTIVE'
      AND kind = 'VALIDATOR' ORDER BY random() LIMIT ${COUNTS.nodes}) AS staker`;

const VALIDATIONS = `SELECT encode(validation_id, 'hex') AS id FROM l1_validators WHERE network_id = $1
  ORDER BY random() LIMIT ${COUNTS.validations}`;

/** The next owner after each of the given addresses: the table is too large to sort it. */
const OWNERS = `SELECT DISTINCT encode(owner.address, 'hex') AS id FROM unnest($2::bytea[]) AS probe
    CROSS JOIN LATERAL (SELECT addresses[1] AS address FROM utxos
      WHERE network_id = $1 AND consumed_timestamp IS NULL AND cardinality(addresses) = 1 AND addresses >= ARRAY[probe]
      ORDER BY addresses LIMIT 1) AS owner
  WHERE (SELECT count(*) FROM (SELECT FROM utxos WHERE network_id = $1 AND consumed_timestamp IS NULL
    AND cardinality(addresses) = 1 AND addresses = ARRAY[owner.address] LIMIT ${MAX_OUTPUTS + 1}) AS counted) <= ${MAX_OUTPUTS}`;

/** Chooses what is compared at random, besides what differed before. Four statements. */
export async function chooseSample(
  { pool, network: { networkId } }: Pick<ComparisonDeps, "pool" | "network">,
  repeated: Sample,
): Promise<Sample> {
  const probes = Array.from({ length: COUNTS.owners }, () => `\\x${randomBytes(20).toString("hex")}`);
  const idsOf = async (text: string, values: readonly unknown[] = []) =>
    (await pool.query<{ id: string }>(text, [networkId, ...values])).rows.map(({ id }) => id);
  return {
    subnets: unique(repeated.subnets, await idsOf(SUBNETS)),
    nodes: unique(repeated.nodes, await idsOf(NODES)),
    validations: unique(repeated.validations, await idsOf(VALIDATIONS)),
    owners: unique(repeated.owners, await idsOf(OWNERS, [probes])),
  };
}

const unique = (...lists: readonly (readonly string[])[]): string[] => [...new Set(lists.flat())];
