import { readFileSync } from "node:fs";
import {
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type OperationTypeNode,
  parse,
  type VariableDefinitionNode,
} from "graphql";
import { fragmentsOf } from "../../core/graph/graph-document.ts";

/** A parsed file of `operations/`. */
export interface RestOperation {
  readonly name: string;
  /** The text of the file. */
  readonly document: string;
  readonly kind: OperationTypeNode;
  readonly variables: readonly VariableDefinitionNode[];
  /** The field whose value is the response body. */
  readonly body: FieldNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/** Reads `operations/<name>.graphql`. Throws if the file is not one operation that selects one field as `body`. */
export function loadOperation(name: string): RestOperation {
  return parseOperation(name, readFileSync(new URL(`../operations/${name}.graphql`, import.meta.url), "utf8"));
}

/** Parses the text of an operation, with the same checks as `loadOperation`. */
export function parseOperation(name: string, document: string): RestOperation {
  const parsed = parse(document, { noLocation: true });
  const operations = parsed.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const [operation, ...others] = operations;
  if (!operation || others.length > 0)
    throw new Error(`the file of operation ${name} must contain exactly one operation`);
  return {
    name,
    document,
    kind: operation.operation,
    variables: operation.variableDefinitions ?? [],
    body: bodyOf(name, operation),
    fragments: fragmentsOf(parsed),
  };
}

function bodyOf(name: string, operation: OperationDefinitionNode): FieldNode {
  const [body, ...others] = operation.selectionSet.selections;
  if (body?.kind !== Kind.FIELD || body.alias?.value !== "body" || others.length > 0)
    throw new Error(`operation ${name} must select exactly one field, with the alias body`);
  return body;
}
