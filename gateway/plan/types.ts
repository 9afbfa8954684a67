import {
  type DocumentNode,
  type GraphQLSchema,
  isAbstractType,
  isEnumType,
  isObjectType,
  Kind,
  type ObjectTypeDefinitionNode,
} from "graphql";

/** What the executor of plans needs to know about types of the supergraph, those that callers do not see included. */
export interface SupergraphTypes {
  /** True if an object of this type fulfils a condition on a type: the type itself, or an interface or a union that contains it. */
  fits(type: unknown, condition: string): boolean;
  /** True if subgraphs may return values of an enum, or objects of an interface or a union, that callers must not see. */
  hasHidden(name: string): boolean;
}

/** `schema` is the one that callers see. */
export function readSupergraphTypes({ definitions }: DocumentNode, schema: GraphQLSchema): SupergraphTypes {
  const members = new Map<string, Set<string>>();
  const hidden = new Set<string>();
  const add = (abstract: string, object: string): void => {
    const known = members.get(abstract) ?? new Set();
    members.set(abstract, known.add(object));
    const type = schema.getType(abstract);
    const member = schema.getType(object);
    if (isAbstractType(type) && !(isObjectType(member) && schema.isSubType(type, member))) hidden.add(abstract);
  };
  for (const node of definitions) {
    if (node.kind === Kind.OBJECT_TYPE_DEFINITION) for (const name of interfacesOf(node)) add(name, node.name.value);
    if (node.kind === Kind.UNION_TYPE_DEFINITION)
      for (const { name } of node.types ?? []) add(node.name.value, name.value);
    if (node.kind !== Kind.ENUM_TYPE_DEFINITION) continue;
    const type = schema.getType(node.name.value);
    if (isEnumType(type) && node.values?.some(({ name }) => !type.getValue(name.value))) hidden.add(type.name);
  }
  return {
    fits: (type, condition) => type === condition || (members.get(condition)?.has(String(type)) ?? false),
    hasHidden: (name) => hidden.has(name),
  };
}

function interfacesOf({ interfaces = [] }: ObjectTypeDefinitionNode): readonly string[] {
  return interfaces.map(({ name }) => name.value);
}
