import {
  type DocumentNode,
  type FieldNode,
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
  const fetchedOperation = getOperationAST(fetched);
  const root = schema.getRootType(operation.operation);
  if (!root || !fetchedOperation) return false;
  const asked: Side = { scope: scopeOf(schema, types, document), sets: [operation.selectionSet] };
  return isSame(root, asked, {
    scope: scopeOf(schema, types, fetched),
    sets: [fetchedOperation.selectionSet],
  });
}

/** A selection of one of the two operations. */
interface Side {
  readonly scope: Scope;
  readonly sets: readonly SelectionSetNode[];
}

function isSame(type: GraphQLObjectType, asked: Side, fetched: Side): boolean {
  const askedFields = [...fieldsOf(asked.scope, type, asked.sets)];
  const fetchedFields = [...fieldsOf(fetched.scope, type, fetched.sets)];
  return (
    askedFields.length === fetchedFields.length &&
    askedFields.every(([key, nodes], at) => {
      const [fetchedKey, fetchedNodes = []] = fetchedFields[at] ?? [];
      return key === fetchedKey && isSameField(type, { ...asked, nodes }, { ...fetched, nodes: fetchedNodes });
    })
  );
}

interface FieldSide extends Side {
  readonly nodes: readonly FieldNode[];
}

function isSameField(parent: GraphQLObjectType, asked: FieldSide, fetched: FieldSide): boolean {
  const name = asked.nodes[0]?.name.value ?? "";
  if (name !== fetched.nodes[0]?.name.value) return false;
  if (name === TypeNameMetaFieldDef.name) return true;
  const type = getNamedType(parent.getFields()[name]?.type);
  if (!type || asked.scope.types.hasHidden(type.name)) return false;
  const possible = isAbstractType(type) ? asked.scope.schema.getPossibleTypes(type) : isObjectType(type) ? [type] : [];
  return possible.every((one) => isSame(one, below(asked), below(fetched)));
}

function below({ scope, nodes }: FieldSide): Side {
  return { scope, sets: nodes.flatMap(({ selectionSet }) => selectionSet ?? []) };
}
