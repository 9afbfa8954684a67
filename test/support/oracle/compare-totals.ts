import { formatId } from "../../../core/formats/id-text.ts";
import { ZERO_ID } from "../../../indexer/primary/network/chains.ts";
import {
  type ComparisonDeps,
  type ComparisonResult,
  differencesBetween,
} from "../../../indexer/primary/verify/comparison.ts";
import { nullIfAbsent, PATHS } from "../../../indexer/primary/verify/node.ts";

interface TotalsRow {
  readonly subnet_id: Buffer;
  readonly total_weight: string;
  /** Active validators without those of an L1. */
  readonly staking: string;
}

const TOTALS = `SELECT t.subnet_id, t.total_weight, coalesce((
    SELECT v.validator_count FROM validator_totals v
    WHERE v.network_id = $1 AND v.subnet_id = t.subnet_id AND v.kind = 'VALIDATOR' AND v.status = 'ACTIVE'
  ), 0) AS staking FROM subnet_totals t WHERE t.network_id = $1`;

/** Compares the total weight and the number of validators of every subnet. */
export async function compareTotals({ pool, network, node }: ComparisonDeps): Promise<ComparisonResult> {
  const { rows } = await pool.query<TotalsRow>(TOTALS, [network.networkId]);
  const indexed = new Map<string, string>();
  const fromNode = new Map<string, string>();
  for (const { subnet_id, total_weight, staking } of rows) {
    const hex = subnet_id.toString("hex");
    const id = formatId(hex);
    const params = hex === ZERO_ID ? {} : { subnetID: id };
    const stake = await nullIfAbsent(node.ask(PATHS.P, "platform.getTotalStake", params));
    if (stake === null) continue;
    const { validators } = (await node.ask(PATHS.P, "platform.getCurrentValidators", params)) as {
      readonly validators: readonly { readonly validationID?: string }[];
    };
    const count = validators.filter(({ validationID }) => validationID === undefined).length;
    indexed.set(id, `weight ${total_weight}, ${staking} validators`);
    fromNode.set(id, `weight ${(stake as { readonly weight: string }).weight}, ${count} validators`);
  }
  return differencesBetween("totals of subnet", indexed, fromNode);
}
