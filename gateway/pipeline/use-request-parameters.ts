import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { GraphQLError } from "graphql";
import { messageOf } from "../../core/errors.ts";
import type { GraphContext } from "./graph-context.ts";

/** Answers 400 if `variables` or `extensions` of a request are not valid JSON. Errors have no details of the runtime's own parser. */
export function useRequestParameters(): GatewayPlugin<GraphContext> {
  return {
    onRequestParse({ requestParser, setRequestParser }) {
      if (!requestParser) return;
      setRequestParser(async (request) => {
        try {
          return await requestParser(request);
        } catch (error) {
          if (error instanceof SyntaxError) throw badRequest(error);
          throw error instanceof GraphQLError ? withoutCause(error) : error;
        }
      });
    },
  };
}

/** Answers 400 to a request without a query. The runtime would answer 200 to callers that accept JSON. */
export function useRequiredQuery(): GatewayPlugin<GraphContext> {
  return {
    onParams({ params }) {
      if (params.query) return;
      throw new GraphQLError("the request must have a query", {
        extensions: { code: "BAD_REQUEST", http: { status: 400 } },
      });
    },
  };
}

function badRequest(error: SyntaxError): GraphQLError {
  return new GraphQLError(`variables and extensions must be JSON: ${messageOf(error)}`, {
    extensions: { code: "BAD_REQUEST", http: { status: 400 } },
  });
}

/** The runtime adds the error of its JSON parser to the extensions, and its marker of specified statuses would make the status 200. */
function withoutCause({ message, extensions }: GraphQLError): GraphQLError {
  const { status = 400 } = (extensions["http"] ?? {}) as { readonly status?: number };
  return new GraphQLError(message, { extensions: { code: extensions["code"], http: { status } } });
}
