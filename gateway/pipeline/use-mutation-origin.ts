import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { getOperationAST, OperationTypeNode } from "graphql";
import { Failure } from "../../core/errors.ts";
import { countRejection } from "../../core/observability/rejections.ts";
import type { GraphContext } from "./graph-context.ts";
import { refusalFor } from "./refusals.ts";

/** Refuses mutations over WebSockets that web pages of other origins have opened. Over HTTP, such pages need a preflight. */
export function useMutationOrigin(): GatewayPlugin<GraphContext> {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const { isFromOtherOrigin = false } = args.contextValue as GraphContext;
      if (!isFromOtherOrigin) return;
      if (getOperationAST(args.document, args.operationName)?.operation !== OperationTypeNode.MUTATION) return;
      countRejection("other_origin");
      setResultAndStopExecution(refusalFor(refusal()));
    },
  };
}

const refusal = () =>
  new Failure("FORBIDDEN", "web pages of other origins cannot send mutations over WebSocket: send them by POST");
