import {
  type DocumentNode,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  Kind,
  type ObjectTypeDefinitionNode,
  type SelectionSetNode,
} from "graphql";
import { argumentsOf } from "./directives.ts";
import { parseFieldSet, printFieldSet } from "./field-set.ts";

/** A key by which subgraphs find an entity. */
export interface EntityKey {
  /** Its selection, such as `chainId blockNumber`. */
  readonly text: string;
  readonly fields: readonly KeyField[];
  /** The subgraphs that find the entity by it, by their names in the enum `join__Graph`. */
  readonly graphs: readonly string[];
}

interface KeyField {
  readonly name: string;
  readonly type: GraphQLOutputType;
  /** The fields below it; null for a value. */
  readonly fields: readonly KeyField[] | null;
}

/** The keys of each entity, by the name of its type. */
export type Entities = ReadonlyMap<string, readonly EntityKey[]>;

/** The entities that a supergraph finds by keys which are visible in the schema of its callers. Interfaces with keys are left out. */
export function entitiesOf({ definitions }: DocumentNode, schema: GraphQLSchema): Entities {
  const entities = new Map<string, readonly EntityKey[]>();
  for (const node of definitions) {
    if (node.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    const keys = keysOf(node, schema);
    if (keys.length > 0) entities.set(node.name.value, keys);
  }
  return entities;
}

function keysOf(node: ObjectTypeDefinitionNode, schema: GraphQLSchema): EntityKey[] {
  const graphs = new Map<string, string[]>();
  for (const { graph, key, resolvable = true } of argumentsOf(node, "join__type")) {
    if (typeof key !== "string" || !resolvable) continue;
    const text = selectionText(key);
    graphs.set(text, [...(graphs.get(text) ?? []), String(graph)]);
  }
  return [...graphs].flatMap(([text, names]) => {
    const fields = keyFields(parseFieldSet(text), node.name.value, schema);
    return fields ? [{ text, fields, graphs: names }] : [];
  });
}

/** The same text for keys that differ only in white space. */
const selectionText = (fields: string): string => printFieldSet(parseFieldSet(fields)).replace(/\s+/g, " ");

/** Null if callers do not see all of them. */
function keyFields({ selections }: SelectionSetNode, parent: string, schema: GraphQLSchema): KeyField[] | null {
  const type = schema.getType(parent);
  const fields = selections.map((node) => {
    if (node.kind !== Kind.FIELD || !isObjectType(type)) return null;
    const field = type.getFields()[node.name.value];
    if (!field) return null;
    const below = node.selectionSet ? keyFields(node.selectionSet, getNamedType(field.type).name, schema) : null;
    const isComplete = isLeafType(getNamedType(field.type)) || below !== null;
    return isComplete ? { name: node.name.value, type: field.type, fields: below } : null;
  });
  return fields.every((field) => field !== null) ? fields : null;
}
