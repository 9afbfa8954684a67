import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  getNamedType,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
} from "graphql";
import { argumentsOf, parseDirectives } from "./directives.ts";
import type { Entities, EntityKey } from "./entities.ts";

/** A subgraph that has entities with the fields of a key only. */
export interface EntitySubgraph {
  /** In the enum `join__Graph`. */
  readonly graph: string;
  readonly name: string;
  /** Its root field, which returns an entity for each of its `representations`. */
  readonly field: string;
  readonly union: string;
  /** The entities by the names of their types, and their keys. */
  readonly keys: ReadonlyMap<string, EntityKey>;
  /** The names of the fields of each type: of entities, and of objects in their keys. */
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, FieldType>>;
}

/** The type of a field: an object, or a value. */
interface FieldType {
  readonly name: string;
  readonly isObject: boolean;
}

/** The subgraphs of a graph with these entities: the first one has entities by their first key, the second one by their second key. */
export function entitySubgraphs(entities: Entities): readonly EntitySubgraph[] {
  const count = Math.max(0, ...[...entities.values()].map(({ length }) => length));
  return Array.from({ length: count }, (_, at) => {
    const keys = new Map([...entities].flatMap(([type, { [at]: key }]) => (key ? [[type, key] as const] : [])));
    const fields = new Map<string, Map<string, FieldType>>();
    for (const [type, key] of keys) addFields(fields, type, key.fields);
    return {
      graph: `_ENTITIES_${at}`,
      name: `entities-${at}`,
      field: `_entities_${at}`,
      union: `_Entity_${at}`,
      keys,
      fields,
    };
  });
}

function addFields(types: Map<string, Map<string, FieldType>>, parent: string, fields: EntityKey["fields"]): void {
  const known = types.get(parent) ?? new Map<string, FieldType>();
  types.set(parent, known);
  for (const { name, type, fields: below } of fields) {
    const named = getNamedType(type).name;
    known.set(name, { name: named, isObject: below !== null });
    if (below) addFields(types, named, below);
  }
}

/** The SDL of such a subgraph, whose values may have any type. */
export function entitySubgraphSdl({ field, union, keys, fields }: EntitySubgraph): string {
  const types = [...fields].map(([type, named]) => {
    const lines = [...named].map(([name, { name: inner, isObject }]) => `${name}: ${isObject ? inner : "_Any"}`);
    return `type ${type} { ${lines.join(" ")} }`;
  });
  return `scalar _Any union ${union} = ${[...keys.keys()].join(" | ")}
    type Query { ${field}(representations: [_Any]!): [${union}]! } ${types.join(" ")}`;
}

/** The supergraph with these subgraphs, from whose entities the planner goes to those of the other subgraphs. */
export function entitySupergraph(document: DocumentNode, subgraphs: readonly EntitySubgraph[]): DocumentNode {
  const definitions = document.definitions.map((node): DefinitionNode => {
    if (node.kind === Kind.OBJECT_TYPE_DEFINITION) return withSubgraphs(node, subgraphs);
    if (node.kind !== Kind.ENUM_TYPE_DEFINITION || node.name.value !== "join__Graph") return node;
    const graphs = subgraphs.map(({ graph, name }) => `${graph} @join__graph(name: "${name}", url: "")`);
    const [added] = parse(`enum Graphs { ${graphs.join(" ")} }`, { noLocation: true }).definitions;
    const values = added?.kind === Kind.ENUM_TYPE_DEFINITION ? (added.values ?? []) : [];
    return { ...node, values: [...(node.values ?? []), ...values] };
  });
  return { ...document, definitions: [...definitions, ...typesOf(subgraphs)] };
}

function withSubgraphs(node: ObjectTypeDefinitionNode, subgraphs: readonly EntitySubgraph[]): ObjectTypeDefinitionNode {
  const { value: type } = node.name;
  const isQuery = type === "Query";
  const own = subgraphs.filter(({ fields }) => isQuery || fields.has(type));
  if (own.length === 0) return node;
  const joins = own.map(({ graph, keys }) => {
    const key = keys.get(type);
    return `@join__type(graph: ${graph}${key ? `, key: ${JSON.stringify(key.text)}, resolvable: false` : ""})`;
  });
  const earlier = graphsOf(node);
  const fields = (node.fields ?? []).map((field) => {
    const added = own.filter(({ fields: types }) => types.get(type)?.has(field.name.value));
    // A field without `@join__field` is one of all subgraphs of its type.
    const isOfAll = argumentsOf(field, "join__field").length === 0;
    const graphs = [...(isOfAll ? earlier : []), ...added.map(({ graph }) => graph)];
    return { ...field, directives: [...(field.directives ?? []), ...joinFields(graphs)] };
  });
  const roots = isQuery ? rootsOf(subgraphs) : [];
  const directives = [...(node.directives ?? []), ...parseDirectives(joins.join(" "))];
  return { ...node, directives, fields: [...fields, ...roots] };
}

const graphsOf = (node: ObjectTypeDefinitionNode): readonly string[] => [
  ...new Set(argumentsOf(node, "join__type").map(({ graph }) => String(graph))),
];

const joinFields = (graphs: readonly string[]): readonly ConstDirectiveNode[] =>
  parseDirectives(graphs.map((graph) => `@join__field(graph: ${graph})`).join(" "));

function rootsOf(subgraphs: readonly EntitySubgraph[]) {
  const fields = subgraphs.map(
    ({ graph, field, union }) => `${field}(representations: [_Any]!): [${union}]! @join__field(graph: ${graph})`,
  );
  const [query] = parse(`type Query { ${fields.join(" ")} }`, { noLocation: true }).definitions;
  return query?.kind === Kind.OBJECT_TYPE_DEFINITION ? (query.fields ?? []) : [];
}

function typesOf(subgraphs: readonly EntitySubgraph[]): readonly DefinitionNode[] {
  const joins = subgraphs.map(({ graph }) => `@join__type(graph: ${graph})`);
  const unions = subgraphs.map(({ graph, union, keys }) => {
    const types = [...keys.keys()];
    const members = types.map((type) => `@join__unionMember(graph: ${graph}, member: "${type}")`);
    return `union ${union} @join__type(graph: ${graph}) ${members.join(" ")} = ${types.join(" | ")}`;
  });
  return parse(`scalar _Any ${joins.join(" ")} ${unions.join(" ")}`, { noLocation: true }).definitions;
}
