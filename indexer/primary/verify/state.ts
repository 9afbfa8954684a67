import { BadUpstreamData, quoted } from "../../../core/errors/errors.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import { isObject } from "../../../core/formats/json.ts";
import { pgBytes } from "../../shared/pg-bytes.ts";
import { ZERO_ID } from "../network/chains.ts";
import { priceAt } from "../replay/p-chain/l1-fees.ts";
import { type ComparisonDeps, type ComparisonResult, differencesBetween, textOf } from "./comparison.ts";
import { nullIfAbsent, PATHS } from "./node.ts";

interface StateRow {
  readonly chain_timestamp: string;
  readonly current_supply: string;
  readonly fee_capacity: string;
  readonly fee_excess: string;
  readonly l1_fee_excess: string;
}

/** Compares chain time, gas, and the fee of L1 validators. */
export async function compareState({ pool, network, node }: ComparisonDeps): Promise<ComparisonResult> {
  const { rows } = await pool.query<StateRow>("SELECT * FROM p_chain_states WHERE network_id = $1", [
    network.networkId,
  ]);
  const row = rows[0];
  const ask = (method: string) => nullIfAbsent(node.ask(PATHS.P, method, {}));
  const time = await node.ask(PATHS.P, "platform.getTimestamp", {});
  const timestamp = isObject(time) ? Date.parse(String(time["timestamp"])) : Number.NaN;
  if (Number.isNaN(timestamp)) throw new BadUpstreamData(`platform.getTimestamp returned ${quoted(time)}`);
  const gas = (await ask("platform.getFeeState")) as Record<"capacity" | "excess", string> | null;
  const fees = (await ask("platform.getValidatorFeeState")) as Record<"excess" | "price", string> | null;
  const fromNode = new Map([["time", String(timestamp / 1_000)]]);
  const indexed = new Map([["time", row?.chain_timestamp ?? "nothing"]]);
  // Nodes from before Etna have neither method.
  if (gas) {
    fromNode.set("gas", `capacity ${gas.capacity}, excess ${gas.excess}`);
    indexed.set("gas", `capacity ${row?.fee_capacity}, excess ${row?.fee_excess}`);
  }
  if (fees) {
    fromNode.set("L1 validator fee", `${fees.price} nAVAX a second, excess ${fees.excess}`);
    const excess = BigInt(row?.l1_fee_excess ?? 0);
    indexed.set("L1 validator fee", `${priceAt(network.l1Fees, excess)} nAVAX a second, excess ${excess}`);
  }
  return differencesBetween("chain", indexed, fromNode);
}

interface SubnetRow {
  readonly subnet_id: Buffer;
  readonly current_supply: string | null;
  readonly conversion_tx_hash: Buffer | null;
  readonly manager_chain_id: Buffer | null;
  readonly manager_address: Buffer | null;
  readonly owner_threshold: string;
  readonly owner_locktime: string;
}

const SUBNETS = "SELECT * FROM subnets WHERE network_id = $1 AND ($2::bytea[] IS NULL OR subnet_id = ANY ($2))";

/** Compares the supply of the primary network and of every elastic subnet, or of those among `subnetIds` (hex). */
export async function compareSupply(
  { pool, network, node }: ComparisonDeps,
  subnetIds?: readonly string[],
): Promise<ComparisonResult> {
  const { rows: states } = await pool.query<StateRow>("SELECT * FROM p_chain_states WHERE network_id = $1", [
    network.networkId,
  ]);
  const { rows: subnets } = await pool.query<SubnetRow>(SUBNETS, [network.networkId, subnetIds?.map(pgBytes) ?? null]);
  const indexed = new Map([[formatId(ZERO_ID), states[0]?.current_supply ?? "nothing"]]);
  const fromNode = new Map<string, string>();
  for (const { subnet_id, current_supply } of subnets)
    if (current_supply !== null) indexed.set(formatId(subnet_id.toString("hex")), current_supply);
  for (const id of [ZERO_ID, ...subnets.map(({ subnet_id }) => subnet_id.toString("hex"))].map(formatId)) {
    const params = id === formatId(ZERO_ID) ? {} : { subnetID: id };
    // For a subnet that is not elastic the node answers with an error.
    const answer = (await nullIfAbsent(node.ask(PATHS.P, "platform.getCurrentSupply", params))) as {
      supply: string;
    } | null;
    if (answer) fromNode.set(id, answer.supply);
  }
  return differencesBetween("supply of subnet", indexed, fromNode);
}

/** Compares the validator manager of every subnet, or of those with these ids (hex). */
export async function compareSubnets(
  { pool, network, node }: ComparisonDeps,
  subnetIds?: readonly string[],
): Promise<ComparisonResult> {
  const { rows } = await pool.query<SubnetRow>(SUBNETS, [network.networkId, subnetIds?.map(pgBytes) ?? null]);
  const indexed = new Map<string, string>();
  const fromNode = new Map<string, string>();
  for (const row of rows) {
    const id = formatId(row.subnet_id.toString("hex"));
    const answer = (await nullIfAbsent(node.ask(PATHS.P, "platform.getSubnet", { subnetID: id }))) as Record<
      string,
      string
    > | null;
    // Releases before 2024 do not have the method (https://github.com/ava-labs/avalanchego/pull/2704).
    if (!answer) continue;
    fromNode.set(id, textOf([answer["managerChainID"], answer["managerAddress"]]));
    const manager = row.manager_address && `0x${row.manager_address.toString("hex")}`;
    indexed.set(id, textOf([formatId(row.manager_chain_id?.toString("hex") ?? ZERO_ID), manager]));
  }
  return differencesBetween("manager of subnet", indexed, fromNode);
}
