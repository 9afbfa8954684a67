import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  type InlineFragmentNode,
  type IntValueNode,
  Kind,
  type OperationDefinitionNode,
  print,
  type SelectionNode,
  type SelectionSetNode,
  type StringValueNode,
  visit,
} from "graphql";
import { fragmentsOf, unusedName, type Variables } from "../../core/graph/graph-document.ts";
import type { ResponseNames } from "./response-names.ts";

/** An operation without `@skip` and `@include`, and without aliases and integers that the planner or the executor mishandles. */
export interface NormalisedOperation {
  /** Null if `@skip` and `@include` exclude every field. */
  readonly document: DocumentNode | null;
  /** Null if the result has the names that the caller asked for. */
  readonly names: ResponseNames | null;
}

/** The directives by which a field or a fragment may be left out. */
export const CONDITIONS: ReadonlySet<string> = new Set([GraphQLSkipDirective.name, GraphQLIncludeDirective.name]);

/**
 * Aliases that must not become keys of plain objects: assigning to `__proto__` would change the prototype of an object. And `__typename`, by which
 * the executor of plans finds the type of an object.
 */
const UNSAFE_ALIASES: ReadonlySet<string> = new Set([...Object.getOwnPropertyNames(Object.prototype), "__typename"]);

/**
 * The planner parses integers of at most 64 bits. Amounts and token ids can be larger: they are written as strings, which
 * their scalars also accept.
 */
const MAX_INTEGER = 2n ** 63n - 1n;

/** True if `normalise` would change the document. */
export function needsNormalising(document: DocumentNode, keyFields: ReadonlySet<string>): boolean {
  let found = false;
  visit(document, {
    Directive: ({ name }) => {
      found ||= CONDITIONS.has(name.value);
    },
    Field: (node) => {
      found ||= isUnsafeAlias(node, keyFields);
    },
    IntValue: (node) => {
      found ||= isTooLarge(node);
    },
  });
  return found;
}

function isUnsafeAlias({ alias, name }: FieldNode, keyFields: ReadonlySet<string>): boolean {
  if (!alias) return false;
  return UNSAFE_ALIASES.has(alias.value) || (keyFields.has(alias.value) && alias.value !== name.value);
}

/** Names of the variables that `@skip` and `@include` read. */
export function conditionVariables(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive(node) {
      if (!CONDITIONS.has(node.name.value)) return;
      for (const { value } of node.arguments ?? []) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}

/**
 * Applies `@skip` and `@include` to a valid operation, replaces unsafe aliases (see `UNSAFE_ALIASES` and `keyFieldsOf`), and writes large
 * integers as strings (see `MAX_INTEGER`). `@skip` and `@include` are applied because the query planner fails if all fields of an
 * operation are excluded, and adds a field of its own to an object whose fields are all excluded. `variables` must be coerced already.
 */
export function normalise(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
  keyFields: ReadonlySet<string>,
): NormalisedOperation {
  const text = print(document);
  const names = {
    aliasPrefix: unusedName(text, "moraine_alias_"),
    empty: unusedName(text, "moraine_empty"),
  };
  const fragments = createFragments(document);
  const scope: Scope = { variables, names, keyFields, fragments, isRenamed: false };
  const selectionSet = withoutConditions(operation.selectionSet, scope);
  if (!selectionSet) return { document: null, names: null };
  const definitions = [{ ...operation, selectionSet }, ...fragments.normalised()];
  return {
    document: withoutLargeIntegers({ kind: Kind.DOCUMENT, definitions }),
    names: scope.isRenamed ? names : null,
  };
}

function withoutLargeIntegers(document: DocumentNode): DocumentNode {
  return visit(document, {
    IntValue: (node): StringValueNode | undefined =>
      isTooLarge(node) ? { kind: Kind.STRING, value: node.value } : undefined,
  });
}

function isTooLarge({ value }: IntValueNode): boolean {
  const number = BigInt(value);
  return number > MAX_INTEGER || number < -MAX_INTEGER;
}

interface Scope {
  readonly variables: Variables;
  readonly names: ResponseNames;
  readonly keyFields: ReadonlySet<string>;
  readonly fragments: Fragments;
  /** True if a name was replaced or added. */
  isRenamed: boolean;
}

/** The fragments of a document, each normalised when it is first used. */
interface Fragments {
  /** True if any of the fragment's fields are left. */
  hasFields(name: string, scope: Scope): boolean;
  normalised(): FragmentDefinitionNode[];
}

function createFragments(document: DocumentNode): Fragments {
  const fragments = fragmentsOf(document);
  const known = new Map<string, FragmentDefinitionNode | null>();
  const normalised = (name: string, scope: Scope): FragmentDefinitionNode | null => {
    const fragment = fragments.get(name);
    const selectionSet = fragment ? withoutConditions(fragment.selectionSet, scope) : null;
    return fragment && selectionSet ? { ...fragment, selectionSet } : null;
  };
  return {
    hasFields(name, scope) {
      if (!known.has(name)) known.set(name, normalised(name, scope));
      return known.get(name) !== null;
    },
    normalised: () => [...known.values()].filter((fragment) => fragment !== null),
  };
}

/** Null if nothing is left of the set. */
function withoutConditions(set: SelectionSetNode, scope: Scope): SelectionSetNode | null {
  const selections = set.selections.flatMap((node) => normalisedSelection(node, scope) ?? []);
  return selections.length > 0 ? { ...set, selections } : null;
}

function normalisedSelection(node: SelectionNode, scope: Scope): SelectionNode | null {
  if (!isIncluded(node, scope.variables)) return null;
  const directives = (node.directives ?? []).filter(({ name }) => !CONDITIONS.has(name.value));
  if (node.kind === Kind.FIELD) return normalisedField({ ...node, directives }, scope);
  if (node.kind === Kind.FRAGMENT_SPREAD) return normalisedSpread({ ...node, directives }, scope);
  return normalisedInlineFragment({ ...node, directives }, scope);
}

function isIncluded(node: SelectionNode & { readonly directives?: readonly DirectiveNode[] }, variables: Variables) {
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.["if"] === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.["if"] !== false;
}

function normalisedField(node: FieldNode, scope: Scope): FieldNode {
  const field = withSafeAlias(node, scope);
  if (!node.selectionSet) return field;
  const selectionSet = withoutConditions(node.selectionSet, scope);
  if (!selectionSet) scope.isRenamed = true;
  return { ...field, selectionSet: selectionSet ?? emptyObject(scope.names) };
}

function withSafeAlias(node: FieldNode, scope: Scope): FieldNode {
  const { alias } = node;
  if (!alias || !isUnsafeAlias(node, scope.keyFields)) return node;
  scope.isRenamed = true;
  return { ...node, alias: nameNode(scope.names.aliasPrefix + alias.value) };
}

function normalisedSpread(node: FragmentSpreadNode, scope: Scope): FragmentSpreadNode | null {
  return scope.fragments.hasFields(node.name.value, scope) ? node : null;
}

function normalisedInlineFragment(node: InlineFragmentNode, scope: Scope): InlineFragmentNode | null {
  const selectionSet = withoutConditions(node.selectionSet, scope);
  return selectionSet && { ...node, selectionSet };
}

/** An object must select something: `__typename`, which the answer then leaves out. */
function emptyObject({ empty }: ResponseNames): SelectionSetNode {
  const field: FieldNode = { kind: Kind.FIELD, alias: nameNode(empty), name: nameNode("__typename") };
  return { kind: Kind.SELECTION_SET, selections: [field] };
}

const nameNode = (value: string) => ({ kind: Kind.NAME, value }) as const;
