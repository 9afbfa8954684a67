/** What the bench measures, in this order. The cases before `signatures` need a database that takes minutes to fill. */
export const CASES = [
  "answers",
  "guards",
  "gateways",
  "exports",
  "watchers",
  "catching-up",
  "overload",
  "signatures",
  "indexing",
  "two-chains",
  "ponder",
  "size",
  "growth",
  "decoding",
  "replay",
  "balances",
  "holders",
  "memory",
  "start",
] as const;
export type CaseName = (typeof CASES)[number];

/** True if the text names a case. */
export function isCaseName(text: string): text is CaseName {
  return (CASES as readonly string[]).includes(text);
}
