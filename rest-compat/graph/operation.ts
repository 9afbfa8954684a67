import { readFileSync } from "node:fs";
import {
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  type VariableDefinitionNode,
} from "graphql";

/** A file of `operations/`, read once. */
export interface RestOperation {
  readonly name: string;
  readonly document: string;
  readonly variables: readonly VariableDefinitionNode[];
  /** The field whose value is the answer. */
  readonly body: FieldNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/** Reads `operations/<name>.graphql`; throws when it is not one operation with one field `body`. */
export function loadOperation(name: string): RestOperation {
  return parseOperation(name, readFileSync(new URL(`../operations/${name}.graphql`, import.meta.url), "utf8"));
}

/** As `loadOperation`, of a document at hand. */
export function parseOperation(name: string, document: string): RestOperation {
  const { definitions } = parse(document);
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  const [operation, ...others] = operations;
  if (!operation || others.length > 0) throw new Error(`operation ${name} must be one operation`);
  return {
    name,
    document,
    variables: operation.variableDefinitions ?? [],
    body: bodyOf(name, operation),
    fragments: new Map(fragments.map((fragment) => [fragment.name.value, fragment])),
  };
}

function bodyOf(name: string, operation: OperationDefinitionNode): FieldNode {
  const [body, ...others] = operation.selectionSet.selections;
  if (body?.kind !== Kind.FIELD || body.alias?.value !== "body" || others.length > 0)
    throw new Error(`operation ${name} must select one field, as body`);
  return body;
}
