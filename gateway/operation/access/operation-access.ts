import type { Network } from "../../../core/config/settings/network.ts";
import { formatCount } from "../../../core/graph/cost.ts";
import type { ApiKeys } from "../../../core/limits/access/api-keys.ts";
import { type Caller, type Callers, NO_LIMITS, type RateLimits } from "../../../core/limits/access/callers.ts";
import type { KeyRequirements } from "../../../core/limits/access/key-requirements.ts";
import { type ChargeCaller, smallerLimit } from "../../../core/limits/access/rate-limit.ts";
import { tooComplex } from "../limits/too-complex.ts";
import type { OperationCharge } from "./operation-charge.ts";
import type { OperationRules } from "./operation-rules.ts";

/** What decides whether a caller may run an operation. */
export interface Access {
  /** Token that a REST server in another process sends. That server checks and charges its requests itself. Null if there is none. */
  readonly internalToken: string | null;
  readonly apiKeys: ApiKeys;
  readonly callers: Callers;
  /** See `nodeInterfaceNetwork`. */
  readonly nodeNetwork: Network;
  readonly charge: ChargeCaller;
  readonly requirements: KeyRequirements;
}

/** An operation that a caller wants to run. */
export interface CheckedOperation {
  readonly rules: () => OperationRules;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Refuses an operation for which the caller needs another API key, or which costs more than a whole limit, and charges it by its cost. Throws
 * or rejects if it is refused. Compiles nothing if nothing has to be checked, as for most callers. For `refuse` see `ChargeCaller`.
 */
export function admitCaller(
  { requirements }: Pick<Access, "requirements">,
  caller: Caller,
  { rules, variables }: CheckedOperation,
  charge: OperationCharge,
  refuse: () => Promise<never> | null,
): Promise<void> | undefined {
  const { limits, networks, apiKey } = caller;
  if (limits === NO_LIMITS && networks === null && requirements.isEmpty) return undefined;
  const { checkKey, checkNetworks, units: unitsOf } = rules();
  checkKey?.(apiKey);
  checkNetworks(caller, variables);
  const units = unitsOf(variables);
  requireAffordable(limits, units);
  return charge.pay(units, refuse);
}

/** Waiting would not help an operation that costs more than a whole limit. */
function requireAffordable(limits: RateLimits, units: number): void {
  const name = smallerLimit(limits, units);
  if (name)
    throw tooComplex(
      `this operation costs ${formatCount(units)} compute units, more than the limit of ${formatCount(limits[name])} per ${name}: request less data`,
    );
}

/** What an event of a subscription costs its caller. */
export function unitsOfEvent({ limits }: Caller, { rules, variables }: CheckedOperation): number {
  return limits === NO_LIMITS ? 0 : rules().units(variables);
}
