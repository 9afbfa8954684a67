import {
  type DocumentNode,
  type GraphQLObjectType,
  getNamedType,
  getOperationAST,
  isAbstractType,
  isObjectType,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from "graphql";
import { fieldsOf, type ProjectionContext, type Scope, scopeOf } from "./projection.ts";

/**
 * True if the data of a fetch are the data of the answer: they have the same keys in the same order, and callers may see all types and
 * values in them.
 */
export function hasSameShape(
  { schema, types, document, operation }: ProjectionContext,
  fetched: DocumentNode,
): boolean {
  const root = schema.getRootType(operation.operation);
  const fetchedSet = getOperationAST(fetched)?.selectionSet;
  if (!root || !fetchedSet) return false;
  const asked = shapeOf(scopeOf(schema, types, document), root, [operation.selectionSet]);
  return asked !== null && asked === shapeOf(scopeOf(schema, types, fetched), root, [fetchedSet]);
}

/** The keys and fields of the objects of a type, for each type that they may have, as text. Null if callers must not see some of them. */
function shapeOf(scope: Scope, type: GraphQLObjectType, sets: readonly SelectionSetNode[]): string | null {
  let shape = "";
  for (const [key, nodes] of fieldsOf(scope, type, sets)) {
    const name = nodes[0]?.name.value ?? "";
    shape += `${key}:${name}`;
    if (name === TypeNameMetaFieldDef.name) continue;
    const inner = getNamedType(type.getFields()[name]?.type);
    if (!inner || scope.types.hasHidden(inner.name)) return null;
    const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const possible = isAbstractType(inner) ? scope.schema.getPossibleTypes(inner) : isObjectType(inner) ? [inner] : [];
    for (const one of possible) {
      const innerShape = shapeOf(scope, one, below);
      if (innerShape === null) return null;
      shape += `{${innerShape}}`;
    }
    shape += ",";
  }
  return shape;
}
