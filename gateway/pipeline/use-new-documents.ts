import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { DocumentTurn } from "../../core/admission/document-turns.ts";
import type { GraphContext } from "./graph-context.ts";
import type { KnownDocuments } from "./known-documents.ts";
import { type RefusalSenders, refuseParams } from "./use-refusal.ts";

export interface NewDocumentsOptions extends RefusalSenders {
  readonly documents: Pick<KnownDocuments, "valid">;
  readonly documentTurn: DocumentTurn;
}

/**
 * Lets documents that are not known to be valid wait for a turn. To parse, validate and plan a short one takes some milliseconds, and one
 * of 900 fields 20 milliseconds and more, in which nothing else can run. Documents of callers without a share, such as REST, do not wait.
 */
export function useNewDocuments(options: NewDocumentsOptions): GatewayPlugin<GraphContext> {
  const { documents, documentTurn, shareOf } = options;
  return {
    onParams({ params: { query }, request, context, setResult }) {
      // The members have not been checked yet.
      if (typeof query !== "string" || documents.valid(query)) return undefined;
      const share = shareOf(request, context);
      return share === null
        ? undefined
        : documentTurn(share).catch((error: unknown) => refuseParams(options, { request, error, setResult }));
    },
  };
}
