import { GraphQLError } from "graphql";
import { CALLER_HEADER, isCallerName } from "../../../core/limits/access/api-keys.ts";

/**
 * Checks the caller's name that came with a request; undefined for a caller without an API key. Only the gateway sends the
 * name, so an invalid name is an error of the installation and fails with code `BAD_REQUEST`. The name may be secret, so the
 * message does not repeat it.
 */
export function checkedCaller(value: unknown): string | undefined {
  if (value === undefined || isCallerName(value)) return value;
  throw badRequest(`${CALLER_HEADER} must be a name that the gateway made from an API key`);
}

export function badRequest(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: "BAD_REQUEST" } });
}
