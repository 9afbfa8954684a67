import {
  type DocumentNode,
  type GraphQLEnumType,
  type GraphQLInterfaceType,
  type GraphQLNamedOutputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type ObjectTypeDefinitionNode,
  type OperationDefinitionNode,
  TypeNameMetaFieldDef,
} from "graphql";
import { fragmentsOf } from "../../core/graph/graph-document.ts";
import { type SelectedField, type Selections, selectedFields } from "../../core/graph/selection.ts";

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

/** Data of subgraphs: the objects have more fields than the operation selects, such as keys and `__typename`. */
export type DataObject = Record<string, unknown>;

/** The values that are null although their types are not nullable, as `Type.field`. */
export type Missing = string[];

type Project = (value: unknown, missing: Missing) => unknown;
export type ProjectObject = (data: DataObject, missing: Missing) => DataObject | null;

/** What a projection is compiled with. */
export interface ProjectionContext {
  /** The schema that callers see. */
  readonly schema: GraphQLSchema;
  readonly types: Pick<SupergraphTypes, "hasHidden">;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/**
 * Compiles the selection of an operation without `@skip` and `@include`: the result makes the data of the answer from the data of the
 * subgraphs. A null in a field that is not nullable makes the object around it null, as in any GraphQL result. If this object may be null,
 * nothing is missing: it is an entity that its subgraph does not know. Values of enums and objects of types that callers do not see are null.
 */
export function compileProjection({ schema, types, document, operation }: ProjectionContext): ProjectObject {
  const root = schema.getRootType(operation.operation);
  if (!root) throw new Error(`the schema has no type for a ${operation.operation}`);
  return compileObject(scopeOf(schema, types, document), root, operation.selectionSet.selections);
}

export function scopeOf(schema: GraphQLSchema, types: Scope["types"], document: DocumentNode): Scope {
  return { schema, types, fragments: fragmentsOf(document), hasInterfaceObjects: true };
}

/** Where fields are looked up. */
export interface Scope extends Selections {
  readonly types: Pick<SupergraphTypes, "hasHidden">;
}

interface Field {
  /** Name in the answer, and in the data of the subgraphs. */
  readonly key: string;
  readonly name: string;
  readonly isNullable: boolean;
  readonly project: Project;
}

/** A type with fields. The objects of an interface may have its name as their type: where the interface is an object of a subgraph. */
type FieldsType = GraphQLObjectType | GraphQLInterfaceType;

function compileObject(scope: Scope, type: FieldsType, selections: SelectedField["selections"]): ProjectObject {
  const fields = selectedFields(scope, type, selections).map((field) => compileField(scope, type, field));
  return (data, missing) => {
    const result: DataObject = {};
    for (const { key, name, isNullable, project } of fields) {
      const value = isNullable ? projectNullable(project, data[key], missing) : project(data[key], missing);
      if (value === null && !isNullable) {
        missing.push(`${type.name}.${name}`);
        return null;
      }
      result[key] = value;
    }
    return result;
  };
}

/** Projects a value that may be null. */
function projectNullable(project: Project, value: unknown, missing: Missing): unknown {
  const before = missing.length;
  const projected = project(value, missing);
  // Only fields of the object itself are missing, so it is an entity that is not known.
  if (projected === null && missing.length === before + 1) missing.pop();
  return projected;
}

function compileField(scope: Scope, parent: FieldsType, { key, field: name, type, selections }: SelectedField): Field {
  if (name === TypeNameMetaFieldDef.name) return { key, name, isNullable: false, project: () => parent.name };
  const project = compileValue(scope, type, selections, `${parent.name}.${name}`);
  return { key, name, isNullable: !isNonNullType(type), project };
}

const leaf: Project = (value) => value ?? null;

/** Values of an enum, of which some may be hidden. */
function visibleValue(type: GraphQLEnumType): Project {
  return (value) => (type.getValue(String(value)) ? value : null);
}

function compileValue(
  scope: Scope,
  type: GraphQLOutputType,
  selections: SelectedField["selections"],
  path: string,
): Project {
  if (isNonNullType(type)) return compileValue(scope, type.ofType, selections, path);
  const named = getNamedType(type);
  const isEnumWithHidden = isEnumType(named) && scope.types.hasHidden(named.name);
  if (isLeafType(named) && !isEnumWithHidden) return leaf;
  if (isListType(type))
    return compileList(compileValue(scope, type.ofType, selections, path), !isNonNullType(type.ofType), path);
  if (isEnumType(named)) return visibleValue(named);
  const project = compileComposite(scope, named, selections);
  return (value, missing) => (isData(value) ? project(value, missing) : null);
}

function compileList(project: Project, isNullable: boolean, path: string): Project {
  return (value, missing) => {
    if (!Array.isArray(value)) return null;
    const items = new Array<unknown>(value.length);
    for (let at = 0; at < items.length; at++) {
      const item = isNullable ? projectNullable(project, value[at], missing) : project(value[at], missing);
      if (item === null && !isNullable) {
        missing.push(`${path}.${at}`);
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
  selections: SelectedField["selections"],
): ProjectObject {
  if (isObjectType(type)) return compileObject(scope, type, selections);
  if (!isAbstractType(type)) throw new Error(`type ${type.name} has no fields`);
  // The planner asks an interface for the types of its objects only if a condition needs them. Hidden ones would not be noticed then.
  const withoutName = isInterfaceType(type) && !scope.types.hasHidden(type.name) ? type.name : undefined;
  const types: FieldsType[] = [...scope.schema.getPossibleTypes(type), ...(isInterfaceType(type) ? [type] : [])];
  const byName = new Map(types.map((possible) => [possible.name, compileObject(scope, possible, selections)]));
  return (data, missing) => {
    const { __typename = withoutName } = data;
    const project = byName.get(String(__typename));
    if (project) return project(data, missing);
    if (__typename === undefined)
      throw new Error(`a subgraph returned an object of type ${type.name} without its own type`);
    // Callers do not see its type.
    missing.push(type.name);
    return null;
  };
}

export function isData(value: unknown): value is DataObject {
  return typeof value === "object" && value !== null;
}
