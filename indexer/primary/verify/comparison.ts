import type pg from "pg";
import type { NetworkFacts } from "../network/network.ts";
import type { AskedNode } from "./node.ts";

/** Something that the rows say otherwise than the node. */
export interface Difference {
  /** What is compared, with what names it. */
  readonly what: string;
  readonly ours: string;
  readonly theirs: string;
}

/** What a comparison needs. */
export interface Compared {
  readonly pool: pg.Pool;
  readonly network: Pick<NetworkFacts, "networkId" | "hrp" | "l1Fees">;
  readonly node: AskedNode;
}

/** How many things were looked at, and what of them differs. */
export interface Found {
  readonly compared: number;
  readonly differences: readonly Difference[];
}

/** The things that either side has, by their names, as texts; a side that lacks one says so. */
export function differencesBetween(
  what: string,
  ours: ReadonlyMap<string, string>,
  theirs: ReadonlyMap<string, string>,
): Found {
  const names = [...new Set([...ours.keys(), ...theirs.keys()])].sort();
  const differences = names.flatMap((name) => {
    const [own = "nothing", other = "nothing"] = [ours.get(name), theirs.get(name)];
    return own === other ? [] : [{ what: `${what} ${name}`.trim(), ours: own, theirs: other }];
  });
  return { compared: names.length, differences };
}

/** Comparisons one after the other as one. */
export function together(all: readonly Found[]): Found {
  return {
    compared: all.reduce((sum, { compared }) => sum + compared, 0),
    differences: all.flatMap(({ differences }) => differences),
  };
}

/** Text of a value that stands for the same in both: members in order, numbers as decimal text. */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === "bigint" || typeof member === "number") return String(member);
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}
