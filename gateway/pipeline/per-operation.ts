import type { DocumentNode, GraphQLSchema } from "graphql";

/** What an operation is executed with. */
export interface OperationArgs {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
}

/**
 * Makes a value once for each document and operation name. The parser's cache gives equal texts the same document, so a value lives as
 * long as its document.
 */
export function perOperation<Value>(
  make: (document: DocumentNode, operationName: string | null, schema: GraphQLSchema) => Exclude<Value, undefined>,
): (args: OperationArgs) => Value {
  const byDocument = new WeakMap<DocumentNode, Map<string | null, Value>>();
  return ({ schema, document, operationName = null }) => {
    const byName = byDocument.get(document) ?? new Map<string | null, Value>();
    byDocument.set(document, byName);
    const known = byName.get(operationName);
    if (known !== undefined) return known;
    const made = make(document, operationName, schema);
    byName.set(operationName, made);
    return made;
  };
}
