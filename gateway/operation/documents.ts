import { hash } from "node:crypto";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { type DocumentNode, GraphQLError, type GraphQLSchema, parse, validate } from "graphql";
import { untilIdle } from "../../core/async/until-idle.ts";
import type { Gate } from "../../core/limits/admission/gate.ts";
import { runAtGate } from "../../core/limits/admission/turns.ts";
import { countRejection } from "../../core/observability/rejections.ts";
import { throwIfCancelled, type Work } from "../../core/work/work.ts";
import type { Sender } from "./access.ts";
import { checkDocumentLength, checkDocumentSize, checkNesting, isTooLong } from "./document-limits.ts";
import { checkOperation } from "./limits.ts";
import {
  type KnownDocument,
  knownDocument,
  type OperationContext,
  operationOf,
  type RequestedOperation,
} from "./operation.ts";
import type { OperationList } from "./operation-list.ts";
import { badRequest, type OperationParams } from "./params.ts";
import { RequestError, requestError, withCode } from "./request-error.ts";
import { createSharedCache } from "./shared-cache.ts";
import { validationRules } from "./validation-rules.ts";

/**
 * Reads the operation that a request asks for: finds its document, parses and validates it if it is not known, finds the operation in it, and
 * checks the limits of its variables and its answer. Rejects with a request error if there is none, and with `OPERATION_TOO_COMPLEX`.
 */
export type ReadOperation = (
  params: OperationParams,
  sender: Pick<Sender, "share"> | null,
  work: Work,
) => Promise<RequestedOperation>;

export interface ReaderOptions {
  readonly documentOf: DocumentOf;
  readonly documents: Documents;
  readonly operations: OperationContext;
}

export function createOperationReader({ documentOf, documents, operations }: ReaderOptions): ReadOperation {
  return async (params, sender, work) => {
    const owner = sender?.share ?? null;
    const text = documentOf(params, owner);
    const document = documents.known(text) ?? (await documents.read(text, owner, work));
    const operation = operationOf(document, params.operationName, operations);
    if (!operation)
      throw requestError("OPERATION_RESOLUTION_FAILURE", "operationName must name one operation of the document");
    const { variables } = params;
    const cost = operation.costOf(variables);
    checkOperation(cost, variables);
    return { operation, variables, cost };
  };
}

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

/**
 * Characters of all documents that are kept. A document, its plan and its compiled form take up to 410 bytes for each character, so all
 * of them take at most about 140 MB.
 */
const MAX_CHARACTERS = 340_000;
/**
 * Added for each document, so that at most about 1,000 are kept. V8 frees a replaced document only some time later: with 6,000 short ones, a
 * flood of different documents made the heap grow to 0.9 GB.
 */
const CHARACTERS_OF_EACH = 300;
/** Maximum number of tokens of a document. The parser counts them, so the validation rules never see a larger document. */
const MAX_TOKENS = 4_000;

/**
 * Reads documents of callers. Those that were valid and used last are kept; a flood of documents does not replace those that are in use, see
 * `SharedCache`.
 */
export interface Documents {
  /** A document that is kept. */
  known(text: string): KnownDocument | undefined;
  /**
   * Parses and validates a document that is not known. Throws a request error if it is not valid, and `OPERATION_TOO_COMPLEX` as a request
   * error if it is too large. `owner` is the caller, who waits for a turn: see `Callers.shareOf`. Null for REST in a process of its own.
   */
  read(text: string, owner: string | null, work: Work): Promise<KnownDocument>;
}

export interface DocumentsOptions {
  readonly schema: GraphQLSchema;
  readonly allowsIntrospection: boolean;
  /** One document has a place at a time. */
  readonly gate: Gate;
  /** Characters of all documents that are kept. Default: `MAX_CHARACTERS`. */
  readonly maxCharacters?: number | undefined;
}

export function createDocuments({
  schema,
  allowsIntrospection,
  gate,
  maxCharacters = MAX_CHARACTERS,
}: DocumentsOptions): Documents {
  const documents = createSharedCache<KnownDocument>({
    maxSize: maxCharacters,
    sizeOf: ({ length }) => length + CHARACTERS_OF_EACH,
  });
  const rules = validationRules(allowsIntrospection);
  const known = (text: string) => documents.get(text);
  const turnOf = createSharedTurns(known, gate);
  return {
    known,
    async read(text, owner, work) {
      // A document that is too long is refused without being read.
      if (owner !== null && !isTooLong(text)) await turnOf(owner, work, text);
      const read = known(text);
      if (read) return read;
      const node = parseLimited(text);
      const errors = validate(schema, node, rules);
      if (errors.length > 0)
        throw new RequestError(errors.map((error) => withCode(error, "GRAPHQL_VALIDATION_FAILED")));
      const document = knownDocument(node, text);
      documents.add(text, document, owner);
      return document;
    },
  };
}

function parseLimited(text: string): DocumentNode {
  try {
    checkDocumentLength(text);
    checkNesting(text, MAX_TOKENS);
    const node = parse(text, { maxTokens: MAX_TOKENS });
    checkDocumentSize(node);
    return node;
  } catch (error) {
    if (error instanceof GraphQLError) throw new RequestError([withCode(error, "GRAPHQL_PARSE_FAILED")]);
    throw error;
  }
}

/**
 * Waits once for each document of a caller: copies that arrive meanwhile wait until the first one has been read. To parse, validate and plan
 * a short document takes some milliseconds, and one of 900 fields 20 milliseconds and more, in which nothing else can run.
 */
function createSharedTurns(known: Documents["known"], gate: Gate) {
  const turns = new Map<string, Promise<void>>();
  return async (owner: string, work: Work, text: string): Promise<void> => {
    const key = `${owner} ${text}`;
    const first = turns.get(key);
    if (first) {
      await first.catch(() => {});
      // The document is read in the iteration of its turn.
      await yieldToEventLoop();
      if (known(text)) return;
    }
    const turn = waitForTurn(gate, owner, work);
    if (!turns.has(key)) turns.set(key, turn);
    try {
      await turn;
    } finally {
      if (turns.get(key) === turn) turns.delete(key);
    }
  };
}

/** Time between two documents while no iteration of the event loop is quiet. */
const BUSY_INTERVAL_MS = 5;

/**
 * A short document takes some milliseconds, and a caller may send a different one with every message. So only one is read in an iteration
 * of the event loop, when the loop has nothing else to do, so that light requests come first. A busy process has no such iteration: it reads
 * a document every 5 ms. The document that has the place waits for its iteration, and leaves the place to the next one.
 */
export async function waitForTurn(gate: Gate, caller: string, whole: Work): Promise<void> {
  await runAtGate(gate, { whole, caller, costClass: null }, () => untilIdle(BUSY_INTERVAL_MS));
  throwIfCancelled(whole);
}
