import { type Change, CriticalityLevel, DiffRule, diff, type Rule } from "@graphql-inspector/core";
import type { GraphQLSchema } from "graphql";

/** What clients may notice of a new schema. */
export interface SchemaChanges {
  /** Operations that were valid can fail, or have other answers. */
  readonly breaking: readonly SchemaChange[];
  /** Operations stay valid, but some clients can notice it. */
  readonly dangerous: readonly SchemaChange[];
  /** Number of the other changes, without those of descriptions. */
  readonly safe: number;
}

export interface SchemaChange {
  /** Coordinate of what has changed, such as `EvmAddress.nfts.first`. */
  readonly path: string;
  readonly message: string;
}

/** Compares schemas by the rules of GraphQL Inspector, and then by these. */
export async function changesBetween(
  before: GraphQLSchema,
  after: GraphQLSchema,
  rules: readonly Rule[] = [],
): Promise<SchemaChanges> {
  const changes = await diff(before, after, [DiffRule.ignoreDescriptionChanges, withoutReasons, ...rules]);
  const ofLevel = (level: CriticalityLevel): Change[] =>
    changes.filter(({ criticality }) => criticality.level === level);
  return {
    breaking: ofLevel(CriticalityLevel.Breaking).map(shown),
    dangerous: ofLevel(CriticalityLevel.Dangerous).map(shown),
    safe: ofLevel(CriticalityLevel.NonBreaking).length,
  };
}

/** GraphQL Inspector takes another reason of a deprecation for one that is removed. */
const withoutReasons: Rule = ({ changes }) => changes.filter(({ path }) => !path?.includes("@deprecated"));

/** With names in backquotes, and with the place of a directive, which the message does not have; that of the schema itself has no name. */
function shown({ path = "", message }: Change): SchemaChange {
  const [place = ""] = path.split(".@");
  const text = message.replaceAll(/'([^']*)'/g, "`$1`");
  return { path, message: place === path || place === "" ? text : `${text} at \`${place}\`` };
}

/** One line for each breaking and each dangerous change, and one with all numbers. */
export function linesOf({ breaking, dangerous, safe }: SchemaChanges): string[] {
  return [
    `${breaking.length} breaking, ${dangerous.length} dangerous and ${safe} safe changes`,
    ...breaking.map(({ message }) => `- breaking: ${message}`),
    ...dangerous.map(({ message }) => `- dangerous: ${message}`),
  ];
}
