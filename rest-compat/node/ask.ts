import type { GraphClient } from "../../core/graph-client.ts";
import { failureOf } from "../failures.ts";
import { loadOperation } from "../operation.ts";

/** The body of an operation's answer. Throws a `Failure` for the first of its errors. */
export type Ask = (
  variables: Readonly<Record<string, unknown>>,
  requestId: string,
) => Promise<Readonly<Record<string, unknown>>>;

/** Plans an operation of `operations/`, once. */
export function compileAsk(graph: GraphClient, operation: string): Ask {
  const run = graph.prepare(loadOperation(operation).document);
  return async (variables, requestId) => {
    const { data, errors } = await run(variables, { requestId });
    if (errors?.[0]) throw failureOf(errors[0]);
    return data?.["body"] as Readonly<Record<string, unknown>>;
  };
}
