import type { IncomingMessage } from "node:http";
import { type ExecutionResult, getOperationAST, getVariableValues } from "graphql";
import type { ApiKeys } from "../../core/access/api-keys.ts";
import { type Caller, NO_LIMITS, requestInfo } from "../../core/access/callers.ts";
import type { ChargeCaller } from "../../core/access/rate-limit.ts";
import type { Admission } from "../../core/admission/admission.ts";
import { type CostClass, compileClass } from "../../core/admission/cost-class.ts";
import { eventsInTurns } from "../../core/admission/event-turns.ts";
import { runInTurn } from "../../core/admission/run-entered.ts";
import { Failure } from "../../core/errors.ts";
import { isEventStream } from "../../core/event-stream.ts";
import type { Logger } from "../../core/logger.ts";
import { OTHER_OPERATIONS, observeOperation } from "../../core/observability/observe-graph.ts";
import { callerLeft } from "../../core/observability/request-scope.ts";
import { type OpenConnections, openSubscription } from "../open-connections.ts";
import type { DirectSubscription } from "../pass-through.ts";
import { guardedEvents, onRevoked } from "../pipeline/access/guarded-events.ts";
import { requireAffordable } from "../pipeline/access/operation-access.ts";
import type { OperationCharge } from "../pipeline/access/operation-charge.ts";
import { compileRules, type RulesContext } from "../pipeline/access/operation-rules.ts";
import type { KnownDocuments } from "../pipeline/known-documents.ts";
import { checkTextSize } from "../pipeline/limits/text-size.ts";
import { type PerOperation, perOperation } from "../pipeline/per-operation.ts";
import { RETRY_AFTER_SECONDS } from "../pipeline/use-event-streams.ts";
import { withPublicErrors } from "../public-error.ts";
import { isWithinLimits } from "./direct-operation.ts";
import type { PlainRequest } from "./request-body.ts";

type Events = AsyncIterableIterator<ExecutionResult>;

export interface DirectSubscriptionsOptions extends RulesContext {
  /** The subscriptions that the runtime has started and that one subgraph of this process can answer. */
  readonly known: PerOperation<DirectSubscription | null>["known"];
  readonly documents: Pick<KnownDocuments, "valid">;
  readonly apiKeys: Pick<ApiKeys, "onRevoked">;
  readonly connections: OpenConnections;
  readonly charge: ChargeCaller;
  readonly admission: Admission;
  readonly logger: Logger;
}

/** Who subscribes. */
export interface Subscriber {
  readonly client: Caller;
  readonly request: IncomingMessage;
  readonly requestId: string;
  /** True for an event stream, which counts as a connection and ends when the server stops. False for an operation of a WebSocket. */
  readonly isStream: boolean;
  readonly payment: OperationCharge;
}

/** Starts a subscription. Returns its events, or the result with the errors of a subgraph. Rejects if the subscription is refused. */
export type StartSubscription = (subscriber: Subscriber) => Promise<Events | ExecutionResult>;

/** Runs subscriptions without the runtime, which keeps 10 to 25 KB more for each that is open. */
export interface DirectSubscriptions {
  /** Null if the runtime has to run the operation. */
  find(operation: PlainRequest): StartSubscription | null;
}

/** The subscriptions are those that the runtime has started before, with variables that it would accept. */
export function createDirectSubscriptions(options: DirectSubscriptionsOptions): DirectSubscriptions {
  const { schema, known, documents, costOf, callers, admission, connections, apiKeys, charge, logger } = options;
  const compiled = perOperation((document, operationName) => ({
    rules: compileRules(document, operationName, options),
    classOf: compileClass(document, costOf({ schema, document, operationName })),
    definitions: getOperationAST(document, operationName)?.variableDefinitions ?? [],
  }));
  const observed = observeOperation(OTHER_OPERATIONS, "subscription");

  /** Runs the start of a subscription when its turn comes. */
  const inTurn = <Result>(costClass: CostClass | null, caller: string, run: () => Promise<Result>) =>
    runInTurn({ admission, costClass, caller }, () => observed(run));

  return {
    find({ query, operationName, variables }) {
      const document = documents.valid(query);
      const run = document && known(document, operationName);
      if (!document || !run || !isWithinLimits(costOf({ schema, document, operationName }), variables)) return null;
      const { rules, classOf, definitions } = compiled({ schema, document, operationName });
      // The runtime names the errors.
      if (getVariableValues(schema, definitions, variables).errors) return null;
      const characters = query.length + JSON.stringify(variables).length;
      return async ({ client, request, requestId, isStream, payment }) => {
        const share = callers.shareOf(client, request);
        const costClass = classOf(variables);
        const refuse = () => costClass && admission.refuse(costClass, share);
        await refuse();
        const release = openSubscription(connections, share, { characters, isStream });
        if (release instanceof Failure) {
          payment.headers.push("retry-after", RETRY_AFTER_SECONDS);
          throw release;
        }
        const { apiKey, limits } = client;
        const units = limits === NO_LIMITS ? 0 : rules.units(variables);
        let events: AsyncIterable<ExecutionResult>;
        try {
          rules.checkNetworks(client, variables);
          requireAffordable(limits, units);
          await payment.pay(units, refuse);
          const info = requestInfo(client, requestId, callerLeft());
          const outcome = await inTurn(costClass, share, () => run(variables, info));
          if (!isEventStream(outcome)) {
            release();
            return publicResult(outcome, requestId, logger);
          }
          events = costClass ? eventsInTurns(outcome, { costClass, caller: share }, admission.events) : outcome;
        } catch (error) {
          release();
          throw error;
        }
        return guardedEvents(events, {
          charge: () => charge(client, units, []),
          change: (event) => publicResult(event, requestId, logger),
          onEnd(end) {
            const forgetKey = onRevoked(apiKeys, apiKey, end);
            const forgetShutdown = isStream ? connections.onEnd(end) : () => {};
            return () => {
              forgetKey();
              forgetShutdown();
              release();
            };
          },
        });
      };
    },
  };
}

function publicResult(result: ExecutionResult, requestId: string, logger: Logger): ExecutionResult {
  const failure = checkTextSize(result.data);
  return failure ? { data: null, errors: [failure] } : withPublicErrors(result, requestId, logger);
}
