import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { GraphQLError } from "graphql";
import { messageOf } from "../../core/errors.ts";
import type { GraphContext } from "./graph-context.ts";

/** Answers 400 if `variables` or `extensions` of a request are not valid JSON. */
export function useRequestParameters(): GatewayPlugin<GraphContext> {
  return {
    onRequestParse({ requestParser, setRequestParser }) {
      if (!requestParser) return;
      setRequestParser(async (request) => {
        try {
          return await requestParser(request);
        } catch (error) {
          throw error instanceof SyntaxError ? badRequest(error) : error;
        }
      });
    },
  };
}

function badRequest(error: SyntaxError): GraphQLError {
  return new GraphQLError(`variables and extensions must be JSON: ${messageOf(error)}`, {
    extensions: { code: "BAD_REQUEST", http: { status: 400 } },
  });
}
