import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { heavyTurn } from "../../core/admission/heavy-turns.ts";
import type { GraphContext } from "./graph-context.ts";
import type { KnownDocuments } from "./known-documents.ts";

/** Shorter documents take less than a few milliseconds. */
const MAX_SHORT_LENGTH = 1_000;

/**
 * Lets longer documents that are not known to be valid wait for a turn: to parse and to validate one of 900 fields takes 20 milliseconds,
 * in which nothing else can run.
 */
export function useNewDocuments(documents: KnownDocuments): GatewayPlugin<GraphContext> {
  return {
    onParams({ params: { query } }) {
      const isShort = typeof query !== "string" || query.length <= MAX_SHORT_LENGTH;
      return isShort || documents.valid(query) ? undefined : heavyTurn();
    },
  };
}
