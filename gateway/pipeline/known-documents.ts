import type { DocumentNode } from "graphql";
import { createSharedCache } from "../../core/shared-cache.ts";

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

/** To parse, validate, plan and compile a longer document takes tens of milliseconds. */
const MAX_SHORT_LENGTH = 1_000;

/** True if the steps before the first run of a document with this number of characters must take turns with other work. */
export function isLong(characters: number): boolean {
  return characters > MAX_SHORT_LENGTH;
}

/**
 * The parsed form of the valid documents that were used last. What other steps make for a document lives as long as its parsed form. A
 * flood of documents does not replace those that are in use, see `SharedCache`.
 */
export interface KnownDocuments {
  /** The parsed form of a document that is known to be valid. */
  valid(text: string): DocumentNode | undefined;
  isValid(document: DocumentNode): boolean;
  /** `owner` is the caller who sent it, see `Callers.shareOf`; null for operations of this process, and of REST in one of its own. */
  addValid(document: DocumentNode, owner: string | null): void;
  /** True if the document is long and no operation of it has run, so that it is not compiled yet. */
  mustCompile(document: DocumentNode): boolean;
  addRun(document: DocumentNode): void;
}

export function createKnownDocuments(): KnownDocuments {
  const documents = createSharedCache<DocumentNode>({
    maxSize: MAX_CHARACTERS,
    sizeOf: ({ length }) => length + CHARACTERS_OF_EACH,
  });
  const valid = new WeakSet<DocumentNode>();
  const run = new WeakSet<DocumentNode>();
  return {
    valid: (text) => documents.get(text),
    isValid: (document) => valid.has(document),
    addValid(document, owner) {
      valid.add(document);
      if (document.loc) documents.add(document.loc.source.body, document, owner);
    },
    mustCompile: (document) => isLong(document.loc?.end ?? 0) && !run.has(document),
    addRun: (document) => void run.add(document),
  };
}
