import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { DocumentNode, ExecutionArgs, ExecutionResult } from "graphql";
import { type Admission, Overloaded } from "../../core/admission/admission.ts";
import { type ClassOf, compileClass } from "../../core/admission/cost-class.ts";
import type { Release } from "../../core/admission/gate.ts";
import { FAILURES, Failure } from "../../core/errors.ts";
import { withStatus } from "./error-status.ts";
import type { GraphContext } from "./graph-context.ts";

/**
 * Lets callers' operations wait for their turn, and refuses them with status 503 if too many wait. A subscription counts as running
 * until it has started. Operations of REST have had their turn before.
 */
export function useAdmission(admission: Admission): GatewayPlugin<GraphContext> {
  const classOf = createClasses();
  const enter = (args: ExecutionArgs): Release | Promise<Release> | null => {
    const { share, callerLeft } = args.contextValue as GraphContext;
    if (!share) return null;
    const costClass = classOf(args)(args.variableValues ?? {});
    return costClass && admission.enter({ costClass, caller: share, callerLeft }, []);
  };
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const entered = enter(args);
      if (entered === null) return undefined;
      if (!(entered instanceof Promise)) return { onExecuteDone: entered };
      return entered.then(
        (release) => ({ onExecuteDone: release }),
        (error: unknown) => {
          setResultAndStopExecution(refusalFor(error));
          // The step of public errors runs before, and removes what is not public.
          return { onExecuteDone: (done) => done.setResult(asOverloaded(error, done.result as ExecutionResult, args)) };
        },
      );
    },
    async onSubscribe({ args, setResultAndStopExecution }) {
      try {
        const release = await enter(args);
        return release ? { onSubscribeResult: () => release() } : undefined;
      } catch (error) {
        setResultAndStopExecution(refusalFor(error));
        return {
          onSubscribeResult: ({ result, setResult }) =>
            void setResult(asOverloaded(error, result as ExecutionResult, args)),
        };
      }
    },
  };
}

/** Caches classes by document and operation name. The parser's cache gives equal texts the same document. */
function createClasses(): (args: ExecutionArgs) => ClassOf {
  const byDocument = new WeakMap<DocumentNode, Map<string | null, ClassOf>>();
  return ({ schema, document, operationName = null }) => {
    const byName = byDocument.get(document) ?? new Map<string | null, ClassOf>();
    byDocument.set(document, byName);
    const classOf = byName.get(operationName) ?? compileClass(schema, document, operationName);
    byName.set(operationName, classOf);
    return classOf;
  };
}

/** A bug is thrown again. */
function refusalFor(error: unknown): ExecutionResult {
  if (error instanceof Failure) return { errors: [error] };
  throw error;
}

function asOverloaded(error: unknown, result: ExecutionResult, args: ExecutionArgs): ExecutionResult {
  if (!(error instanceof Overloaded)) return result;
  const { http: status } = FAILURES[error.code];
  return withStatus(result, args, () => ({ status, headers: { "retry-after": String(error.retryAfterSeconds) } }));
}
