/** What the bench measures, in this order, those of `INDEXER_CASES` last. The cases before `indexing` need a database that takes minutes to fill. */
export const CASES = [
  "answers",
  "gateways",
  "pages",
  "catching-up",
  "overload",
  "indexing",
  "two-chains",
  "many-chains",
  "ponder",
  "size",
  "growth",
  "holders",
  "lists",
  "memory",
  "start",
] as const;
export type CaseName = (typeof CASES)[number];

/** In these cases, the indexer runs in the process that measures. So that process has the options of Node.js of an indexer. */
export const INDEXER_CASES: readonly CaseName[] = ["indexing", "ponder", "size", "growth"];

/** True if the text names a case. */
export function isCaseName(text: string): text is CaseName {
  return (CASES as readonly string[]).includes(text);
}
