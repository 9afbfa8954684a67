import type { DocumentNode, GraphQLSchema } from "graphql";

/** What an operation is executed with. */
export interface OperationArgs {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
}

export interface PerOperation<Value> {
  (args: OperationArgs): Value;
  /** The value of an operation if it was made before. */
  known(document: DocumentNode, operationName: string | null): Value | undefined;
}

/**
 * Makes a value once for each document and operation name. The parser's cache gives equal texts the same document, so a value lives as
 * long as its document.
 */
export function perOperation<Value>(
  make: (document: DocumentNode, operationName: string | null, schema: GraphQLSchema) => Exclude<Value, undefined>,
): PerOperation<Value> {
  const byDocument = new WeakMap<DocumentNode, Map<string | null, Value>>();
  const known: PerOperation<Value>["known"] = (document, operationName) => byDocument.get(document)?.get(operationName);
  const getOrMake = ({ schema, document, operationName = null }: OperationArgs): Value => {
    const found = known(document, operationName);
    if (found !== undefined) return found;
    const byName = byDocument.get(document) ?? new Map<string | null, Value>();
    byDocument.set(document, byName);
    const made = make(document, operationName, schema);
    byName.set(operationName, made);
    return made;
  };
  return Object.assign(getOrMake, { known });
}
