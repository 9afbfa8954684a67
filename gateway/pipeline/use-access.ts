import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { type ExecutionArgs, type ExecutionResult, GraphQLError } from "graphql";
import type { ApiKeys } from "../../core/access/api-keys.ts";
import { type Caller, type Callers, NO_LIMITS, type RateLimits } from "../../core/access/callers.ts";
import type { KeyRequirements } from "../../core/access/key-requirements.ts";
import { type ChargeCaller, smallerLimit } from "../../core/access/rate-limit.ts";
import type { Admission } from "../../core/admission/admission.ts";
import { formatCount } from "../../core/cost.ts";
import { codeOf, FAILURES, isFailureCode } from "../../core/errors.ts";
import { isEventStream } from "../../core/event-stream.ts";
import { headerPairs } from "../../core/http/headers.ts";
import type { Network } from "../../core/settings/network.ts";
import { guardedEvents, onRevoked } from "./access/guarded-events.ts";
import { compileRules } from "./access/operation-rules.ts";
import type { GraphContext } from "./graph-context.ts";
import { tooComplex } from "./limits/too-complex.ts";
import type { OperationCosts } from "./operation-cost.ts";
import { perOperation } from "./per-operation.ts";
import { type HttpOutcome, refusalFor, refusedHooks } from "./refusals.ts";
import type { Senders } from "./senders.ts";
import { overloadOutcome } from "./use-refusal.ts";

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

export interface AccessOptions {
  readonly access: Access;
  readonly admission: Admission;
  readonly senders: Senders;
  readonly costOf: OperationCosts;
}

/** Compute units of a request that ends before the access checks. */
const INVALID_UNITS = 1;

/** Codes of refusals that change the HTTP status. Other errors are part of a result with status 200. */
const STATUS_CODES: ReadonlySet<unknown> = new Set(["UNAUTHENTICATED", "FORBIDDEN", "RATE_LIMITED"]);

/**
 * Refuses operations for which the caller needs another API key or which cost more than a whole limit. Charges the others by their
 * cost: a subscription when it starts, and for each event. Responses over HTTP have the headers of rate limits. An operation that waits
 * for the usage of other processes is refused without a charge if it would then neither run nor wait for its turn.
 */
export function useAccess({ access, admission, senders, costOf }: AccessOptions): GatewayPlugin<GraphContext> {
  const rulesOf = perOperation((document, operationName, schema) =>
    compileRules(document, operationName, { ...access, schema, costOf }),
  );
  const limitHeaders = new WeakMap<object, string[]>();

  /** Throws or rejects if the operation is refused. Compiles nothing if nothing has to be checked, as for most callers. */
  function admit(args: ExecutionArgs, client: Caller): Promise<void> | undefined {
    const { limits, networks, apiKey } = client;
    if (limits === NO_LIMITS && networks === null && access.requirements.isEmpty) return undefined;
    const rules = rulesOf(args);
    const variables = args.variableValues ?? {};
    rules.checkKey?.(apiKey);
    rules.checkNetworks(client, variables);
    const units = rules.units(variables);
    requireAffordable(limits, units);
    const headers: string[] = [];
    const { request, costClass, share } = args.contextValue as GraphContext & { readonly request?: object };
    if (request) limitHeaders.set(request, headers);
    return access.charge(client, units, headers, () =>
      costClass && share ? admission.refuse(costClass, share()) : null,
    );
  }

  function guarded(events: AsyncIterable<ExecutionResult>, args: ExecutionArgs, client: Caller) {
    const { apiKey, limits } = client;
    const units = limits === NO_LIMITS ? 0 : rulesOf(args).units(args.variableValues ?? {});
    return guardedEvents(events, {
      charge: () => access.charge(client, units, []),
      onEnd: (call) => onRevoked(access.apiKeys, apiKey, call),
    });
  }

  /**
   * Charges a request that was refused before it was charged, for example because its document is not valid. Appends the headers. Rejects
   * with `RATE_LIMITED` if the limit is used up.
   */
  async function chargeInvalid(request: object, headers: string[]): Promise<void> {
    const sender = senders.get(request);
    if (!sender || sender.isCharged || sender.client.limits === NO_LIMITS) return;
    await access.charge(sender.client, INVALID_UNITS, headers);
  }

  return {
    onExecute({ args, setResultAndStopExecution }) {
      const { client } = args.contextValue as GraphContext;
      if (!client) return undefined;
      const stop = (error: unknown) => {
        setResultAndStopExecution(refusalFor(error));
        return refusedHooks(args, outcomesOf(error));
      };
      try {
        return admit(args, client)?.then(() => undefined, stop);
      } catch (error) {
        return stop(error);
      }
    },
    async onSubscribe({ args, setResultAndStopExecution }) {
      const { client } = args.contextValue as GraphContext;
      if (!client) return undefined;
      // Later steps replace the document.
      const original = { ...args };
      try {
        await admit(args, client);
      } catch (error) {
        setResultAndStopExecution(refusalFor(error));
        return refusedHooks(args, outcomesOf(error));
      }
      if (client.limits === NO_LIMITS && !client.apiKey) return undefined;
      return {
        onSubscribeResult({ result, setResult }) {
          if (isEventStream(result)) setResult(guarded(result, original, client));
        },
      };
    },
    async onResponse({ request, response, setResponse, fetchAPI }) {
      const charged = limitHeaders.get(request);
      const headers = charged ?? [];
      let answer = response;
      try {
        if (!charged) await chargeInvalid(request, headers);
      } catch (error) {
        // The refusal replaces the errors of the operation, as in REST.
        answer = new fetchAPI.Response(JSON.stringify(refusalFor(error)), {
          status: FAILURES.RATE_LIMITED.http,
          headers: response.headers,
        });
        answer.headers.set("content-type", "application/json; charset=utf-8");
        answer.headers.delete("content-length");
        setResponse(answer);
      }
      for (const [name, value] of headerPairs(headers)) answer.headers.set(name, value);
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

/** How the errors of an operation are answered that was refused with this error. */
function outcomesOf(refusal: unknown): (error: GraphQLError) => HttpOutcome | null {
  const overload = overloadOutcome(refusal);
  return overload ? () => overload : outcomeOf;
}

function outcomeOf(error: GraphQLError): HttpOutcome | null {
  const code = codeOf(error);
  return isFailureCode(code) && STATUS_CODES.has(code) ? { status: FAILURES[code].http } : null;
}
