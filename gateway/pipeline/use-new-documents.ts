import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { heavyTurn } from "../../core/admission/heavy-turns.ts";
import type { GraphContext } from "./graph-context.ts";
import { isLong, type KnownDocuments } from "./known-documents.ts";

/**
 * Lets long documents that are not known to be valid wait for a turn: to parse and to validate one of 900 fields takes 20 milliseconds,
 * in which nothing else can run.
 */
export function useNewDocuments(documents: KnownDocuments): GatewayPlugin<GraphContext> {
  return {
    onParams({ params: { query } }) {
      // The members have not been checked yet.
      if (typeof query !== "string" || !isLong(query.length) || documents.valid(query)) return undefined;
      return heavyTurn();
    },
  };
}
