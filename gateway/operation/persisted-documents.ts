import { hash } from "node:crypto";
import { countRejection } from "../../core/observability/rejections.ts";
import type { OperationList } from "./operation-list.ts";
import { badRequest, type OperationParams } from "./params.ts";
import { type RequestError, requestError } from "./request-error.ts";
import { createSharedCache } from "./shared-cache.ts";

/**
 * Returns the document that a request wants to run: the one in the request, or the one that it names by a hash or an id. Throws a request
 * error if there is none, or if the request may not run it. `owner` is the caller, see `Callers.shareOf`.
 */
export type DocumentOf = (params: OperationParams, owner: string | null) => string;

const MAX_DOCUMENTS = 1_000;
/** In UTF-16 code units. Longer documents are not remembered. */
const MAX_DOCUMENT_LENGTH = 16_384;

/** Finds a document by the hash with which a client sent it before. Refuses wrong hashes. */
export function createPersistedQueries(): DocumentOf {
  const documents = createSharedCache<string>({ maxSize: MAX_DOCUMENTS, sizeOf: () => 1 });
  return ({ query, persistedHash }, owner) => {
    if (persistedHash === null) return query ?? refuseEmpty();
    if (query === null) {
      const known = documents.get(persistedHash);
      if (known !== undefined) return known;
      throw requestError("PERSISTED_QUERY_NOT_FOUND", "PersistedQueryNotFound", 200);
    }
    if (hash("sha256", query, "hex") !== persistedHash) throw badRequest("sha256Hash must be the SHA-256 of the query");
    if (query.length <= MAX_DOCUMENT_LENGTH && documents.get(persistedHash) === undefined)
      documents.add(persistedHash, query, owner);
    return query;
  };
}

/** Tells clients that send a hash without its document that they must send documents. */
export const withoutPersistedQueries: DocumentOf = ({ query, persistedHash }) => {
  if (query !== null) return query;
  if (persistedHash === null) refuseEmpty();
  throw requestError("PERSISTED_QUERY_NOT_SUPPORTED", "PersistedQueryNotSupported", 200);
};

/** Refuses all documents that the list does not have. */
export function createAllowedOperations(list: OperationList): DocumentOf {
  return ({ query, persistedHash }) => {
    if (query === null && persistedHash === null) refuseEmpty();
    const document = query ?? (persistedHash === null ? undefined : list.byId(persistedHash));
    if (document !== undefined && list.has(document)) return document;
    throw notAllowed();
  };
}

function notAllowed(): RequestError {
  countRejection("not_allowed");
  return requestError("FORBIDDEN", "the operation is not in the list of allowed operations", 403);
}

function refuseEmpty(): never {
  throw badRequest("the request must have a query");
}
