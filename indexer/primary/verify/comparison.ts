import type pg from "pg";
import type { NetworkFacts } from "../network/network.ts";
import type { AskedNode } from "./node.ts";

/** A difference between the indexed rows and the node. */
export interface Difference {
  /** The kind and id of the compared thing. */
  readonly what: string;
  readonly indexed: string;
  readonly node: string;
}

/** The database and the node that a comparison reads. */
export interface ComparisonDeps {
  readonly pool: Pick<pg.Pool, "query">;
  readonly network: Pick<NetworkFacts, "networkId" | "hrp" | "l1Fees" | "upgrades">;
  readonly node: AskedNode;
}

/** The result of a comparison. */
export interface ComparisonResult {
  readonly compared: number;
  readonly differences: readonly Difference[];
}

/** Compares two maps of texts by name. If one side has no text for a name, its value is "nothing". */
export function differencesBetween(
  what: string,
  indexed: ReadonlyMap<string, string>,
  node: ReadonlyMap<string, string>,
): ComparisonResult {
  const names = [...new Set([...indexed.keys(), ...node.keys()])].sort();
  const differences = names.flatMap((name) => {
    const ofIndex = indexed.get(name) ?? "nothing";
    const ofNode = node.get(name) ?? "nothing";
    return ofIndex === ofNode ? [] : [{ what: `${what} ${name}`.trim(), indexed: ofIndex, node: ofNode }];
  });
  return { compared: names.length, differences };
}

/** Combines the results of several comparisons. */
export function combined(all: readonly ComparisonResult[]): ComparisonResult {
  return {
    compared: all.reduce((sum, { compared }) => sum + compared, 0),
    differences: all.flatMap(({ differences }) => differences),
  };
}

/** A text that is equal for equal values: sorted members, numbers as decimal text. */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === "bigint" || typeof member === "number") return String(member);
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}
