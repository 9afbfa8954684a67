import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { DocumentTurn } from "../../core/admission/document-turns.ts";
import type { GraphContext } from "./graph-context.ts";
import type { KnownDocuments } from "./known-documents.ts";
import { isTooLong } from "./limits/document-size.ts";
import { type RefusalSenders, refuseParams } from "./use-refusal.ts";

export interface NewDocumentsOptions extends RefusalSenders {
  readonly documents: Pick<KnownDocuments, "valid">;
  readonly documentTurn: DocumentTurn;
}

/**
 * Lets documents that are not known to be valid wait for a turn. To parse, validate and plan a short one takes some milliseconds, and one
 * of 900 fields 20 milliseconds and more, in which nothing else can run. Documents of callers without a share, such as REST, do not wait.
 * Nor do documents that are too long: a later step refuses them without parsing them.
 */
export function useNewDocuments(options: NewDocumentsOptions): GatewayPlugin<GraphContext> {
  const { documents, shareOf } = options;
  const turnOf = createSharedTurns(options);
  return {
    onParams({ params: { query }, request, context, setResult }) {
      // The members have not been checked yet.
      if (typeof query !== "string" || documents.valid(query) || isTooLong(query)) return undefined;
      const share = shareOf(request, context);
      return share === null
        ? undefined
        : turnOf(share, query).catch((error: unknown) => refuseParams(options, { request, context, error, setResult }));
    },
  };
}

/** Waits once for each document of a caller: copies that arrive meanwhile wait until the first one has been read. */
function createSharedTurns({ documents, documentTurn }: NewDocumentsOptions) {
  const turns = new Map<string, Promise<void>>();
  return async (share: string, query: string): Promise<void> => {
    const key = `${share} ${query}`;
    const first = turns.get(key);
    if (first) {
      await first.catch(() => {});
      // The document is read in the iteration of its turn.
      await yieldToEventLoop();
      if (documents.valid(query)) return;
    }
    const turn = documentTurn(share);
    if (!turns.has(key)) turns.set(key, turn);
    try {
      await turn;
    } finally {
      if (turns.get(key) === turn) turns.delete(key);
    }
  };
}
