import type { DocumentNode, GraphQLSchema } from "graphql";
import { type CompiledQuery, compileQuery, isCompiledQuery } from "graphql-jit";

/** Compiles the only operation of a valid document for the general executor, graphql-jit. Null if that is not possible. */
export function compileGenerally(schema: GraphQLSchema, document: DocumentNode): CompiledQuery["query"] | null {
  const compiled = compileQuery(schema, document, undefined, { disableLeafSerialization: false });
  return isCompiledQuery(compiled) ? compiled.query : null;
}
