import {
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLLeafType,
  type GraphQLSchema,
  getNullableType,
  isLeafType,
  isObjectType,
  Kind,
  parse,
  type TypeDefinitionNode,
} from "graphql";
import type { FieldResolver } from "./load-all.ts";

/**
 * Clients such as Apollo Client and urql keep an object with `__typename` and `id` once, whichever query has returned it. Every subgraph that knows
 * an entity makes the same id of its first key, so none has to ask another one.
 */
const ID_FIELD = fieldOf(`
  """Identifies the object among all objects of its type: the values of its first key, joined by \`:\`. Clients can keep objects by \`__typename\` and \`id\`."""
  id: ID! @shareable`);

/** The definition of an entity with the field `id`. Types without a key, and entities that have such a field, stay as they are. */
export function withEntityId(node: TypeDefinitionNode): TypeDefinitionNode {
  if (node.kind !== Kind.OBJECT_TYPE_DEFINITION || !firstKeyOf(node) || hasOwnId(node)) return node;
  return { ...node, fields: [ID_FIELD, ...(node.fields ?? [])] };
}

/** The resolvers of the fields that `withEntityId` has added, by type. `schema` is the one without them. */
export function idResolversOf(schema: GraphQLSchema, document: DocumentNode): Record<string, { id: FieldResolver }> {
  const resolvers: Record<string, { id: FieldResolver }> = {};
  for (const node of document.definitions) {
    if (node.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    const type = schema.getType(node.name.value);
    const key = firstKeyOf(node);
    if (!key || !isObjectType(type) || "id" in type.getFields()) continue;
    const parts = key.map((name) => ({ name, leaf: leafOf(schema, type.name, name) }));
    resolvers[type.name] = {
      id: (root) =>
        parts.map(({ name, leaf }) => leaf.serialize((root as Readonly<Record<string, unknown>>)[name])).join(":"),
    };
  }
  return resolvers;
}

function leafOf(schema: GraphQLSchema, typeName: string, fieldName: string): GraphQLLeafType {
  const type = schema.getType(typeName);
  const field = isObjectType(type) ? type.getFields()[fieldName] : undefined;
  const leaf = field && getNullableType(field.type);
  if (isLeafType(leaf)) return leaf;
  throw new Error(`the key field ${typeName}.${fieldName} must be a scalar or an enum`);
}

const hasOwnId = ({ fields = [] }: { readonly fields?: readonly FieldDefinitionNode[] | undefined }): boolean =>
  fields.some(({ name }) => name.value === "id");

/** The names of the fields of the first key; null if the type is no entity, or if its key has fields of other objects. */
function firstKeyOf({ directives = [] }: TypeDefinitionNode): readonly string[] | null {
  const [first] = directives.filter(({ name }) => name.value === "key");
  const fields = first?.arguments?.find(({ name }) => name.value === "fields")?.value;
  if (fields?.kind !== Kind.STRING || fields.value.includes("{")) return null;
  return fields.value.match(/\w+/g);
}

function fieldOf(text: string): FieldDefinitionNode {
  const [definition] = parse(`type Any { ${text} }`, { noLocation: true }).definitions;
  const field = definition?.kind === Kind.OBJECT_TYPE_DEFINITION ? definition.fields?.[0] : undefined;
  if (!field) throw new Error("the text has no field");
  return field;
}
