import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { ExecutionArgs, ExecutionResult } from "graphql";
import type { Callers } from "../../core/access/callers.ts";
import type { Admission } from "../../core/admission/admission.ts";
import { type ClassOf, compileClass, heavyForm } from "../../core/admission/cost-class.ts";
import { Overloaded } from "../../core/admission/overloaded.ts";
import { FAILURES } from "../../core/errors.ts";
import type { OperationCharge } from "./access/operation-charge.ts";
import type { GraphContext } from "./graph-context.ts";
import type { KnownDocuments } from "./known-documents.ts";
import type { OperationCosts } from "./operation-cost.ts";
import { perOperation } from "./per-operation.ts";
import { type HttpOutcome, refusalFor, refusedHooks } from "./refusals.ts";
import type { Senders } from "./senders.ts";

/** Who sends requests, and pays for them. */
export interface RefusalSenders {
  readonly senders: Senders;
  /** Null for operations of this process, and of REST in a process of its own. */
  shareOf(request: object, context: object): string | null;
  /** Null if `shareOf` is. */
  chargeOf(request: object, context: object): OperationCharge | null;
}

export interface RefusalOptions extends RefusalSenders {
  readonly admission: Admission;
  readonly documents: KnownDocuments;
  readonly costOf: OperationCosts;
}

export function createRefusalSenders(senders: Senders, callers: Pick<Callers, "shareOf">): RefusalSenders {
  return {
    senders,
    shareOf(request, context) {
      if ("share" in context) return (context as Pick<GraphContext, "share">).share?.() ?? null;
      const sender = senders.get(request);
      return sender?.charge ? callers.shareOf(sender.client, sender.req) : null;
    },
    chargeOf(request, context) {
      const { charge } = context as Pick<GraphContext, "charge">;
      return charge ?? senders.get(request)?.charge ?? null;
    },
  };
}

/**
 * Refuses operations of callers with status 503 that would neither run nor wait, before they are charged or planned: known ones before
 * anything is done for them, others when their class of cost is known. Notes the class of those that go on, before other steps change
 * them. Operations of REST have already waited.
 */
export function useRefusal(options: RefusalOptions): GatewayPlugin<GraphContext> {
  const { admission, shareOf, documents, costOf } = options;
  const classOf = perOperation<ClassOf>((document, operationName, schema) =>
    compileClass(document, costOf({ document, operationName, schema })),
  );
  const onOperation = (args: ExecutionArgs, stop: (result: ExecutionResult) => void) => {
    const context = args.contextValue as GraphContext;
    const { share, charge } = context;
    if (!share) return undefined;
    const { document } = args;
    const usualClass = classOf(args)(args.variableValues ?? {});
    const mustCompile = usualClass !== null && documents.mustCompile(document);
    const costClass = mustCompile ? heavyForm(usualClass) : usualClass;
    context.costClass = costClass;
    const refused = costClass && admission.refuse(costClass, share());
    if (refused)
      return refused.catch((error: unknown) => {
        charge?.refused(error);
        stop(refusalFor(error));
        return refusedHooks(args, () => overloadOutcome(error));
      });
    if (mustCompile) context.onRun = () => documents.addRun(document);
    return undefined;
  };
  return {
    onParams({ params, request, context, setResult }) {
      const share = shareOf(request, context);
      if (share === null || !admission.isRefusing(share)) return undefined;
      // The members have not been checked yet.
      const { query, variables, operationName } = params;
      const document = documents.valid(query ?? "");
      const classIfKnown = document && classOf.known(document, operationName ?? null);
      const costClass = classIfKnown?.(variables ?? {});
      const refused = costClass && admission.refuse(costClass, share);
      return refused?.catch((error: unknown) => refuseParams(options, { request, context, error, setResult }));
    },
    onExecute: ({ args, setResultAndStopExecution }) => onOperation(args, setResultAndStopExecution),
    onSubscribe: ({ args, setResultAndStopExecution }) => onOperation(args, setResultAndStopExecution),
  };
}

interface RefusedParams {
  readonly request: object;
  readonly context: object;
  readonly error: unknown;
  setResult(result: ExecutionResult): void;
}

/** Refuses a request before its document is parsed. */
export function refuseParams(
  { senders, chargeOf }: RefusalSenders,
  { request, context, error, setResult }: RefusedParams,
): void {
  chargeOf(request, context)?.refused(error);
  setResult(senders.has(request) ? httpRefusal(error) : refusalFor(error));
}

/** The status of a refusal because of overload. Null for any other error. */
export function overloadOutcome(error: unknown): HttpOutcome | null {
  if (!(error instanceof Overloaded)) return null;
  return { status: FAILURES[error.code].http, headers: { "retry-after": String(error.retryAfterSeconds) } };
}

/** The result of a refused operation over HTTP. The runtime takes its text as it is, and makes no further errors from it. */
function httpRefusal(error: unknown): ExecutionResult {
  const http = overloadOutcome(error);
  if (!http) return refusalFor(error);
  const text = JSON.stringify(refusalFor(error));
  return { extensions: { http }, stringify: () => text } as ExecutionResult;
}
