import { createHash } from "node:crypto";
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from "graphql";
import { VERSION } from "../core/observability/version.ts";

/** The first hex digits of the hash that a version has. */
const DIGITS = 12;

/**
 * The version of a schema: that of Moraine and a hash of the content, such as `0.2.0+1f6c2a90b3de`. It is the same for the same types, fields,
 * arguments and descriptions, in whichever order they are.
 */
export function schemaVersion(schema: GraphQLSchema): string {
  const content = printSchema(lexicographicSortSchema(schema));
  return `${VERSION}+${createHash("sha256").update(content).digest("hex").slice(0, DIGITS)}`;
}
