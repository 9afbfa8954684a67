import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedOutputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
  typeFromAST,
} from "graphql";

/** Data of subgraphs: the objects have more fields than the operation selects, such as keys and `__typename`. */
export type DataObject = Record<string, unknown>;

/** Called for each value that is null although its type is not nullable, with the names of type and field. */
export type OnMissing = (type: string, field: string) => void;

type Project = (value: unknown, onMissing: OnMissing) => unknown;
type ProjectObject = (data: DataObject, onMissing: OnMissing) => DataObject | null;

/**
 * Compiles the selection of an operation without `@skip` and `@include`: the result makes the data of the answer from the data of the
 * subgraphs. A null in a field that is not nullable makes the object around it null, as in any GraphQL result.
 */
export function compileProjection(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): ProjectObject {
  const root = schema.getRootType(operation.operation);
  if (!root) throw new Error(`the schema has no type for a ${operation.operation}`);
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  return compileObject({ schema, fragments }, root, [operation.selectionSet]);
}

interface Scope {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

interface Field {
  /** Name in the answer, and in the data of the subgraphs. */
  readonly key: string;
  readonly name: string;
  readonly isNullable: boolean;
  readonly project: Project;
}

function compileObject(scope: Scope, type: GraphQLObjectType, sets: readonly SelectionSetNode[]): ProjectObject {
  const nodes = new Map<string, FieldNode[]>();
  for (const set of sets) collectFields(scope, type, set, nodes);
  const fields = [...nodes].map(([key, same]) => compileField(scope, type, key, same));
  return (data, onMissing) => {
    const result: DataObject = {};
    for (const { key, name, isNullable, project } of fields) {
      const value = project(data[key], onMissing);
      if (value === null && !isNullable) {
        onMissing(type.name, name);
        return null;
      }
      result[key] = value;
    }
    return result;
  };
}

/** Adds the fields of a selection to those of the same name in the answer, in the order of the document. */
function collectFields(
  scope: Scope,
  type: GraphQLObjectType,
  { selections }: SelectionSetNode,
  nodes: Map<string, FieldNode[]>,
): void {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      const key = selection.alias?.value ?? selection.name.value;
      const same = nodes.get(key) ?? [];
      same.push(selection);
      nodes.set(key, same);
      continue;
    }
    const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? scope.fragments.get(selection.name.value) : selection;
    if (fragment && applies(scope, type, fragment.typeCondition))
      collectFields(scope, type, fragment.selectionSet, nodes);
  }
}

function applies(
  { schema }: Scope,
  type: GraphQLObjectType,
  condition: FragmentDefinitionNode["typeCondition"] | undefined,
): boolean {
  const conditionType = condition && typeFromAST(schema, condition);
  if (!conditionType || conditionType === type) return true;
  return isAbstractType(conditionType) && schema.isSubType(conditionType, type);
}

function compileField(scope: Scope, parent: GraphQLObjectType, key: string, nodes: readonly FieldNode[]): Field {
  const name = nodes[0]?.name.value ?? key;
  if (name === TypeNameMetaFieldDef.name) return { key, name, isNullable: false, project: () => parent.name };
  const type = parent.getFields()[name]?.type;
  if (!type) throw new Error(`type ${parent.name} has no field ${name}`);
  const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  return {
    key,
    name,
    isNullable: !isNonNullType(type),
    project: compileValue(scope, type, sets, `${parent.name}.${name}`),
  };
}

const leaf: Project = (value) => value ?? null;

function compileValue(scope: Scope, type: GraphQLOutputType, sets: readonly SelectionSetNode[], path: string): Project {
  if (isNonNullType(type)) return compileValue(scope, type.ofType, sets, path);
  if (isLeafType(getNamedType(type))) return leaf;
  if (isListType(type))
    return compileList(compileValue(scope, type.ofType, sets, path), !isNonNullType(type.ofType), path);
  const project = compileComposite(scope, getNamedType(type), sets);
  return (value, onMissing) => (isData(value) ? project(value, onMissing) : null);
}

function compileList(project: Project, isNullable: boolean, path: string): Project {
  return (value, onMissing) => {
    if (!Array.isArray(value)) return null;
    const items = new Array<unknown>(value.length);
    for (let at = 0; at < items.length; at++) {
      const item = project(value[at], onMissing);
      if (item === null && !isNullable) {
        onMissing(path, String(at));
        return null;
      }
      items[at] = item;
    }
    return items;
  };
}

function compileComposite(
  scope: Scope,
  type: GraphQLNamedOutputType,
  sets: readonly SelectionSetNode[],
): ProjectObject {
  if (isObjectType(type)) return compileObject(scope, type, sets);
  if (!isAbstractType(type)) throw new Error(`type ${type.name} has no fields`);
  const byName = new Map(
    scope.schema.getPossibleTypes(type).map((possible) => [possible.name, compileObject(scope, possible, sets)]),
  );
  return (data, onMissing) => {
    const project = byName.get(String(data["__typename"]));
    if (!project) throw new Error(`a subgraph returned an object of type ${type.name} without its own type`);
    return project(data, onMissing);
  };
}

export function isData(value: unknown): value is DataObject {
  return typeof value === "object" && value !== null;
}
