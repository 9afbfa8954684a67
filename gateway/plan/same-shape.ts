import {
  type DocumentNode,
  type GraphQLObjectType,
  getNamedType,
  getOperationAST,
  isAbstractType,
  isObjectType,
  TypeNameMetaFieldDef,
} from "graphql";
import { type SelectedField, selectedFields } from "../../core/graph/selection.ts";
import { type ProjectionContext, type Scope, scopeOf } from "./projection.ts";

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
  const asked = shapeOf(scopeOf(schema, types, document), root, operation.selectionSet.selections);
  if (asked === null) return false;
  try {
    return asked === shapeOf(scopeOf(schema, types, fetched), root, fetchedSet.selections);
  } catch {
    // The subgraph is asked for a field or a type that callers do not see.
    return false;
  }
}

/** The keys and fields of the objects of a type, for each type that they may have, as text. Null if callers must not see some of them. */
function shapeOf(scope: Scope, type: GraphQLObjectType, selections: SelectedField["selections"]): string | null {
  let shape = "";
  for (const { key, field, type: fieldType, selections: below } of selectedFields(scope, type, selections)) {
    shape += `${key}:${field}`;
    if (field === TypeNameMetaFieldDef.name) continue;
    const inner = getNamedType(fieldType);
    if (scope.types.hasHidden(inner.name)) return null;
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
