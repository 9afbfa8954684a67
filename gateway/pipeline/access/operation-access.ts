import type { ExecutionArgs, ExecutionResult } from "graphql";
import type { ApiKeys } from "../../../core/access/api-keys.ts";
import { type Caller, type Callers, NO_LIMITS, type RateLimits } from "../../../core/access/callers.ts";
import type { KeyRequirements } from "../../../core/access/key-requirements.ts";
import { type ChargeCaller, smallerLimit } from "../../../core/access/rate-limit.ts";
import type { Admission } from "../../../core/admission/admission.ts";
import { formatCount } from "../../../core/cost.ts";
import type { Network } from "../../../core/settings/network.ts";
import type { GraphContext } from "../graph-context.ts";
import { tooComplex } from "../limits/too-complex.ts";
import type { OperationCosts } from "../operation-cost.ts";
import { perOperation } from "../per-operation.ts";
import { guardedEvents, onRevoked } from "./guarded-events.ts";
import type { OperationCharge } from "./operation-charge.ts";
import { compileRules } from "./operation-rules.ts";

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

export interface OperationAccessOptions {
  readonly access: Access;
  readonly admission: Admission;
  readonly costOf: OperationCosts;
}

/** Decides whether callers may run operations, and charges these. */
export interface OperationAccess {
  /**
   * Charges the operation by its cost. Throws or rejects if it is refused. Compiles nothing if nothing has to be checked, as for most
   * callers.
   */
  admit(args: ExecutionArgs, client: Caller, charge: OperationCharge): Promise<void> | undefined;
  /** The events of a subscription, each of which is charged, until the API key of its caller is revoked. */
  guard(
    events: AsyncIterable<ExecutionResult>,
    args: ExecutionArgs,
    client: Caller,
  ): AsyncIterableIterator<ExecutionResult>;
}

export function createOperationAccess({ access, admission, costOf }: OperationAccessOptions): OperationAccess {
  const rulesOf = perOperation((document, operationName, schema) =>
    compileRules(document, operationName, { ...access, schema, costOf }),
  );
  return {
    admit(args, client, charge) {
      const { limits, networks, apiKey } = client;
      if (limits === NO_LIMITS && networks === null && access.requirements.isEmpty) return undefined;
      const rules = rulesOf(args);
      const variables = args.variableValues ?? {};
      rules.checkKey?.(apiKey);
      rules.checkNetworks(client, variables);
      const units = rules.units(variables);
      requireAffordable(limits, units);
      const { costClass, share } = args.contextValue as GraphContext;
      return charge.pay(units, () => (costClass && share ? admission.refuse(costClass, share()) : null));
    },
    guard(events, args, client) {
      const { apiKey, limits } = client;
      const units = limits === NO_LIMITS ? 0 : rulesOf(args).units(args.variableValues ?? {});
      return guardedEvents(events, {
        charge: () => access.charge(client, units, []),
        onEnd: (call) => onRevoked(access.apiKeys, apiKey, call),
      });
    },
  };
}

/** Waiting would not help an operation that costs more than a whole limit. */
export function requireAffordable(limits: RateLimits, units: number): void {
  const name = smallerLimit(limits, units);
  if (name)
    throw tooComplex(
      `this operation costs ${formatCount(units)} compute units, more than the limit of ${formatCount(limits[name])} per ${name}: request less data`,
    );
}
