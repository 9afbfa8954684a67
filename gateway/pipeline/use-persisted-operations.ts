import { hash } from "node:crypto";
import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { GraphQLError } from "graphql";
import { countRejection } from "../../core/observability/rejections.ts";
import { createSharedCache } from "../../core/shared-cache.ts";
import type { OperationList } from "../operation-list.ts";
import type { GraphContext } from "./graph-context.ts";
import type { RefusalSenders } from "./use-refusal.ts";

const MAX_DOCUMENTS = 1_000;
/** In UTF-16 code units. Longer documents are not remembered. */
const MAX_DOCUMENT_LENGTH = 16_384;

/** Replaces the hash of a document by the document that a client sent before with this hash. Refuses wrong hashes. */
export function useAutomaticPersistedQueries({
  shareOf,
}: Pick<RefusalSenders, "shareOf">): GatewayPlugin<GraphContext> {
  const documents = createSharedCache<string>({ maxSize: MAX_DOCUMENTS, sizeOf: () => 1 });
  return {
    onParams({ params, setParams, request, context }) {
      const key = persistedHash(params.extensions);
      if (key === null) return;
      if (params.query) {
        if (hash("sha256", params.query, "hex") !== key)
          throw refusal("BAD_REQUEST", 400, "sha256Hash must be the SHA-256 of the query");
        if (params.query.length <= MAX_DOCUMENT_LENGTH && documents.get(key) === undefined)
          documents.add(key, params.query, shareOf(request, context));
        return;
      }
      const query = documents.get(key);
      if (query === undefined) throw refusal("PERSISTED_QUERY_NOT_FOUND", 200, "PersistedQueryNotFound");
      setParams({ ...params, query });
    },
  };
}

/** Tells clients that send a hash without its document that they must send documents. */
export function useNoPersistedQueries(): GatewayPlugin<GraphContext> {
  return {
    onParams({ params }) {
      if (!params.query && persistedHash(params.extensions) !== null)
        throw refusal("PERSISTED_QUERY_NOT_SUPPORTED", 200, "PersistedQueryNotSupported");
    },
  };
}

/** Refuses all operations that the list does not have, except those of this process. */
export function useAllowedOperations(list: OperationList): GatewayPlugin<GraphContext> {
  return {
    onParams({ params, setParams, context }) {
      if ("isOwnOperation" in context && context.isOwnOperation === true) return;
      const key = persistedHash(params.extensions);
      // The runtime refuses it with 400, as without a list.
      if (!params.query && key === null) return;
      const query = params.query || (key === null ? undefined : list.byId(key));
      if (!query || !list.has(query)) {
        countRejection("not_allowed");
        throw refusal("FORBIDDEN", 403, "the operation is not in the list of allowed operations");
      }
      setParams({ ...params, query });
    },
  };
}

/** The hash or id of a persisted query in the extensions of a request; null if it has none. */
function persistedHash(extensions: unknown): string | null {
  const persisted = memberOf(extensions, "persistedQuery");
  const key = memberOf(persisted, "sha256Hash");
  return memberOf(persisted, "version") === 1 && typeof key === "string" ? key : null;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function refusal(code: string, status: number, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status } } });
}
