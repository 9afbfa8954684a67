import { Failure } from "../../../core/errors/errors.ts";
import type { Route } from "../../routes.ts";
import type { Variables } from "./variables.ts";

type Needs = NonNullable<Route["needs"]>;

/** The failure of a request that lacks what a route needs (`INVALID_PARAMETER`); null if it has it, or if the route needs nothing. */
export function lackOf(needs: Needs | undefined, variables: Variables): Failure | null {
  if (!needs || needs.oneOf.some((name) => name in variables)) return null;
  const { parameters, oneOf } = needs;
  if (!parameters) return new Failure("INVALID_PARAMETER", `${oneOf.join(" or ")} must be given`);
  const refused = parameters.find((name) => name in variables);
  return refused === undefined
    ? null
    : new Failure("INVALID_PARAMETER", `${refused} is supported with ${oneOf.join(" or ")} only, got neither`);
}

/**
 * The variables by which the graph checks a request that lacks something: those of a page of one item without the refused parameters. A network
 * or chain that does not exist is answered first.
 */
export function checkedVariables({ parameters = [] }: Needs, variables: Variables): Variables {
  const refused = new Set([...parameters, "pageToken"]);
  return { ...Object.fromEntries(Object.entries(variables).filter(([name]) => !refused.has(name))), pageSize: 1 };
}
