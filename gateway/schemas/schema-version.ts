import { hash } from "node:crypto";
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from "graphql";
import { VERSION } from "../../core/observability/version.ts";

/** The first 12 hex digits of the SHA-256 of an SDL. */
export const sdlHash = (sdl: string): string => hash("sha256", sdl, "hex").slice(0, 12);

/**
 * The version of a schema: that of Moraine and a hash of the content, such as `0.2.0+1f6c2a90b3de`. It is the same for the same types, fields,
 * arguments and descriptions, in whichever order they are.
 */
export function schemaVersion(schema: GraphQLSchema): string {
  return `${VERSION}+${sdlHash(printSchema(lexicographicSortSchema(schema)))}`;
}
