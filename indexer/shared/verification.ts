import type { Redact } from "../../core/errors/redaction.ts";
import type { Logger } from "../../core/observability/logger.ts";
import type { LoggedIds } from "./progress.ts";

/** With what an indexed value was compared. */
export type ComparedWith = "STORED_BLOCKS" | "STORED_ROWS" | "NODE";

/** Something that is indexed and differs from that with which it was compared. */
export interface Difference {
  readonly comparedWith: ComparedWith;
  /** Table of the indexed value, or a part of the state of a primary network. */
  readonly table: string;
  readonly key: string;
  readonly indexed: string;
  readonly expected: string;
}

/** Values of a node may contain anything. */
export const redacted = (difference: Difference, redact: Redact): Difference => ({
  ...difference,
  indexed: redact(difference.indexed),
  expected: redact(difference.expected),
});

/** The form in which the last difference is stored; null without differences. */
export function lastDifferenceText([first]: readonly Difference[]): string | null {
  return first ? JSON.stringify({ at: Math.floor(Date.now() / 1_000), ...first }) : null;
}

/** Returns a function that logs each difference when it is found for the first time, and again only after a comparison without any. */
export function createDifferenceLog(
  logger: Logger,
  ids: LoggedIds | { readonly networkId: string },
): (differences: readonly Difference[]) => void {
  const known = new Set<string>();
  return (differences) => {
    for (const { comparedWith, table, key, indexed, expected } of differences) {
      const name = `${table} ${key}`;
      if (known.has(name)) continue;
      known.add(name);
      logger.error(
        { ...ids, table, key, indexed, expected },
        comparedWith === "NODE"
          ? `an indexed value of ${table} differs from the node (${key})`
          : `an indexed row of ${table} differs from what the stored data give (${key})`,
      );
    }
    if (differences.length === 0) known.clear();
  };
}
