import {
  type DocumentNode,
  type FragmentDefinitionNode,
  getOperationAST,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";
import { fragmentsOf, rootFieldsOf } from "../../core/graph/graph-document.ts";
import { ENTITIES_FIELD, SERVICE_FIELD } from "../schemas/federation-fields.ts";

/** A query in parts. Each has the root fields of one kind, and is null if there are none. The query planner accepts only the last one. */
export interface SplitQuery {
  /** `__schema` and `__type`. */
  readonly introspection: DocumentNode | null;
  /** `_service`. */
  readonly service: DocumentNode | null;
  /** `_entities`. */
  readonly entities: DocumentNode | null;
  /** All other root fields. */
  readonly rest: DocumentNode | null;
  /** Names of the root fields in the result, in order. */
  readonly names: readonly string[];
}

const PARTS: ReadonlyMap<string, Exclude<keyof SplitQuery, "rest" | "names">> = new Map([
  ["__schema", "introspection"],
  ["__type", "introspection"],
  [SERVICE_FIELD, "service"],
  [ENTITIES_FIELD, "entities"],
]);

/** Null if all root fields are ordinary ones. The document must be valid. Its `@skip` and `@include` are not evaluated. */
export function splitQuery(document: DocumentNode, operationName: string | null): SplitQuery | null {
  const operation = getOperationAST(document, operationName);
  const roots = operation ? rootFieldsOf(document, operation) : [];
  if (!roots.some(({ name }) => PARTS.has(name.value))) return null;
  const part = (kind: string | undefined) => documentWith(document, operationName, (name) => PARTS.get(name) === kind);
  return {
    introspection: part("introspection"),
    service: part("service"),
    entities: part("entities"),
    rest: part(undefined),
    names: [...new Set(roots.map(({ alias, name }) => (alias ?? name).value))],
  };
}

/** The document with those root fields whose name is accepted; null if there are none. */
function documentWith(
  document: DocumentNode,
  operationName: string | null,
  accepts: (name: string) => boolean,
): DocumentNode | null {
  const defined = fragmentsOf(document);
  const fragments = new Map<string, FragmentDefinitionNode | null>();
  const partOfFragment = (name: string): FragmentDefinitionNode | null => {
    const known = fragments.get(name);
    if (known !== undefined) return known;
    const fragment = defined.get(name);
    const selectionSet = fragment ? partOf(fragment.selectionSet) : null;
    const part = fragment && selectionSet ? { ...fragment, selectionSet } : null;
    fragments.set(name, part);
    return part;
  };
  const partOfSelection = (node: SelectionNode): SelectionNode | null => {
    if (node.kind === Kind.FIELD) return accepts(node.name.value) ? node : null;
    if (node.kind === Kind.FRAGMENT_SPREAD) return partOfFragment(node.name.value) && node;
    const selectionSet = partOf(node.selectionSet);
    return selectionSet && { ...node, selectionSet };
  };
  const partOf = (set: SelectionSetNode): SelectionSetNode | null => {
    const selections = set.selections.flatMap((node) => partOfSelection(node) ?? []);
    return selections.length > 0 ? { ...set, selections } : null;
  };
  const operation = getOperationAST(document, operationName);
  const selectionSet = operation && partOf(operation.selectionSet);
  if (!selectionSet) return null;
  const others = document.definitions.filter(
    (node) => node.kind === Kind.FRAGMENT_DEFINITION && !fragments.has(node.name.value),
  );
  const definitions = [{ ...operation, selectionSet }, ...[...fragments.values()].filter((node) => node !== null)];
  return { ...document, definitions: [...definitions, ...others] };
}
