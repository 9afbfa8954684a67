import type { GraphClient } from "../../core/graph-client.ts";
import type { Access } from "../access/callers.ts";
import type { ChargeCaller } from "../access/rate-limit.ts";
import { failureOf } from "../graph/failures.ts";
import { loadOperation } from "../graph/operation.ts";
import type { Route } from "../routes.ts";
import type { Answer } from "./answer.ts";
import { compileParameters } from "./parameters.ts";
import { parameterNames } from "./path.ts";
import { jsonReply } from "./reply.ts";
import { type Dialect, successStatus } from "./serialise/dialects.ts";
import { compileSerialiser } from "./serialise/serialiser.ts";

export interface EndpointContext {
  readonly graph: GraphClient;
  readonly access: Access;
  readonly charge: ChargeCaller;
}

/** Compiles a route in one dialect: who asks and may it, the parameters, the operation, the text of its answer. */
export function createEndpoint(route: Route, dialect: Dialect, { graph, access, charge }: EndpointContext): Answer {
  const operation = loadOperation((dialect === "hosted" && route.hostedOperation) || route.operation);
  const parse = compileParameters(operation, parameterNames(route.path), graph.schema);
  const run = graph.prepare(operation.document);
  const serialise = compileSerialiser(operation, graph.schema, dialect);
  const status = successStatus(dialect, route.id);
  const callerOf = route.base === "metrics" ? access.byAddress : access.byKey;
  return async ({ request, requestId, values, query, headers }) => {
    const caller = callerOf(request);
    charge(caller, route.units, headers);
    const variables = parse(values, query);
    access.permit(caller, variables);
    const { data, errors } = await run(variables, { requestId });
    if (errors?.[0]) throw failureOf(errors[0]);
    return jsonReply(status, serialise(data?.["body"]));
  };
}
