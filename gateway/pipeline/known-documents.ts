import type { DocumentNode } from "graphql";
import { LRUCache } from "lru-cache";

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

/** The parsed form of the documents that were used last. What other steps make for a document lives as long as its parsed form. */
export interface KnownDocuments {
  parsed(text: string): DocumentNode | undefined;
  /** The parsed form of a document that is known to be valid. */
  valid(text: string): DocumentNode | undefined;
  isValid(document: DocumentNode): boolean;
  add(text: string, document: DocumentNode): void;
  addValid(document: DocumentNode): void;
  /** True if the document is long and no operation of it has run, so that it is not compiled yet. */
  mustCompile(document: DocumentNode): boolean;
  addRun(document: DocumentNode): void;
}

export function createKnownDocuments(): KnownDocuments {
  const documents = new LRUCache<string, DocumentNode>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, text) => text.length + CHARACTERS_OF_EACH,
  });
  const valid = new WeakSet<DocumentNode>();
  const run = new WeakSet<DocumentNode>();
  return {
    parsed: (text) => documents.get(text),
    valid(text) {
      const document = documents.get(text);
      return document && valid.has(document) ? document : undefined;
    },
    isValid: (document) => valid.has(document),
    add: (text, document) => void documents.set(text, document),
    addValid: (document) => void valid.add(document),
    mustCompile: (document) => isLong(document.loc?.end ?? 0) && !run.has(document),
    addRun: (document) => void run.add(document),
  };
}
