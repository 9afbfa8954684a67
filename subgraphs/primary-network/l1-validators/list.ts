import { P_CHAIN_HEAD } from "../../../core/database/database.ts";
import { Failure } from "../../../core/errors/errors.ts";
import type { PageFrom } from "../../../core/graph/page.ts";
import type { ListReaderOptions } from "../../shared/rows/list-reader.ts";
import { bytea, byteaArray } from "../../shared/rows/text-rows.ts";
import { parseIdParameter, parseNodeIdParameter } from "../identifiers/ids.ts";
import { type L1ValidatorOrder, NEWEST_L1, orderOf, rangeOf } from "./order.ts";
import { L1_POSITION_AT, type L1Scope, l1PageStatement } from "./page-statement.ts";
import { ALL_STATUSES, type L1ValidatorStatus, type L1ValidatorsArgs } from "./types.ts";

/** Maximum number of subnets in one filter. */
const MAX_SUBNETS = 100;

/** Normalised filter of a list: equal for equivalent arguments. */
interface Filter {
  readonly id: string | null;
  readonly node: string | null;
  readonly subnets: readonly string[] | null;
  readonly statuses: readonly L1ValidatorStatus[];
  readonly order: L1ValidatorOrder;
}

/** Parses the arguments of a list. Throws `INVALID_PARAMETER`. */
export function filterOf({
  l1ValidationId,
  nodeId,
  filter,
  includeInactiveL1Validators,
  orderBy,
}: L1ValidatorsArgs): Filter {
  const given = filter?.subnetIds;
  const subnets = given?.length ? [...new Set(given.map((id) => parseIdParameter("subnetId", id)))].sort() : null;
  if (subnets && subnets.length > MAX_SUBNETS)
    throw new Failure("INVALID_PARAMETER", `subnetId must be at most ${MAX_SUBNETS} subnet IDs, got ${subnets.length}`);
  const id = l1ValidationId ? parseIdParameter("l1ValidationId", l1ValidationId) : null;
  // A filter by validation ID always finds an inactive validator.
  const byDefault: readonly L1ValidatorStatus[] = id ? ["ACTIVE", "INACTIVE"] : ["ACTIVE"];
  const statuses = includeInactiveL1Validators ? ALL_STATUSES : (filter?.statuses ?? byDefault);
  return {
    id,
    node: nodeId ? parseNodeIdParameter("nodeId", nodeId) : null,
    subnets,
    statuses: [...new Set(statuses.length > 0 ? statuses : byDefault)].sort(),
    order: orderBy ?? NEWEST_L1,
  };
}

/** The most selective index for a filter. */
function scopeOf({ id, node, subnets }: Filter): L1Scope {
  if (id) return "ids";
  if (node) return "nodes";
  return subnets ? "subnets" : "network";
}

/** How the list of a filter is read. */
export function optionsOf(filter: Filter): ListReaderOptions {
  const { order } = filter;
  const scope = scopeOf(filter);
  return {
    name: `l1-validators-of-${scope}-by-${order.field.toLowerCase()}-${order.direction}`,
    order: orderOf(order),
    positionAt: L1_POSITION_AT,
    select: (keyset) => l1PageStatement(scope, order, keyset),
    head: P_CHAIN_HEAD,
    counted: "validationId",
  };
}

/** The parameters of the statement of a filter. */
export function valuesOf(networkId: string, filter: Filter, { position, limit }: PageFrom): unknown[] {
  const { id, node, subnets, statuses } = filter;
  const removed = statuses.map((status) => status === "REMOVED");
  const active = statuses.map((status) => status === "ACTIVE");
  const ofStatuses = [networkId, ...position, limit, removed, active, ...rangeOf(filter.order)];
  const inSubnets = subnets && byteaArray(subnets);
  if (id) return [...ofStatuses, byteaArray([id]), inSubnets, node && bytea(node)];
  if (node) return [...ofStatuses, byteaArray([node]), inSubnets, null];
  return subnets ? [...ofStatuses, inSubnets] : ofStatuses;
}

/** Counters of the statuses in some subnets. */
export const TOTALS = `SELECT coalesce(sum(t.validator_count), 0) AS count, coalesce(sum(t.weight), 0) AS weight
  FROM unnest($2::bytea[]) AS k(subnet_id), LATERAL (
    SELECT v.validator_count, v.weight FROM validator_totals v
    WHERE v.network_id = $1 AND v.subnet_id = k.subnet_id AND v.kind = 'L1_VALIDATOR' AND v.status = ANY ($3)
  ) t`;

/** The parameters of `TOTALS`. */
export const totalValues = (networkId: string, { subnets, statuses }: Filter): unknown[] => [
  networkId,
  // The totals of all subnets together have an empty id.
  byteaArray(subnets ?? ["0x"]),
  statuses,
];
