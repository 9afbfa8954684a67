import {
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
} from "graphql";
import { argumentsOf, parseDirectives } from "./directives.ts";
import type { Entities } from "./entities.ts";

/** The names of a subgraph that finds entities by their representations. There is one for each index of a key. */
export interface EntitySubgraph {
  /** In the enum `join__Graph`. */
  readonly graph: string;
  readonly name: string;
  /** Its root field, which returns an entity for each of its `representations`. */
  readonly field: string;
  readonly union: string;
  /** The field of all entities that contains their key. */
  readonly key: string;
  readonly types: readonly string[];
}

/** The subgraphs of a graph with these entities: the first one has entities by their first key, the second one by their second key. */
export function entitySubgraphs(entities: Entities): readonly EntitySubgraph[] {
  const count = Math.max(0, ...[...entities.values()].map(({ length }) => length));
  return Array.from({ length: count }, (_, at) => ({
    graph: `_ENTITIES_${at}`,
    name: `entities-${at}`,
    field: `_entities_${at}`,
    union: `_Entity_${at}`,
    key: `_moraine_key_${at}`,
    types: [...entities].flatMap(([type, keys]) => (keys.length > at ? [type] : [])),
  }));
}

/**
 * The supergraph with the subgraphs of `entitySubgraphs`. An entity in them has one field, which is a key of the entity in each subgraph that
 * finds the entity by the key with this index. So the planner reads every other field from the owners, by the key that the caller gives.
 */
export function entitySupergraph(document: DocumentNode, entities: Entities): DocumentNode {
  const subgraphs = entitySubgraphs(entities);
  const definitions = document.definitions.map((node): DefinitionNode => {
    if (node.kind === Kind.ENUM_TYPE_DEFINITION && node.name.value === "join__Graph") {
      const values = subgraphs.map(({ graph, name }) => `${graph} @join__graph(name: "${name}", url: "")`);
      return { ...node, values: [...(node.values ?? []), ...enumValues(values)] };
    }
    if (node.kind !== Kind.OBJECT_TYPE_DEFINITION) return node;
    const fields = withGraphs(node);
    if (node.name.value === "Query") {
      const types = subgraphs.map(({ graph }) => `@join__type(graph: ${graph})`);
      const roots = subgraphs.map(
        ({ graph, field, union }) => `${field}(representations: [_Any]!): [${union}]! @join__field(graph: ${graph})`,
      );
      return extended(node, types, [...fields, ...fieldsIn(roots)]);
    }
    const keys = entities.get(node.name.value);
    return keys ? withKeys(node, { keys, subgraphs, fields }) : node;
  });
  return { ...document, definitions: [...definitions, ...typesOf(subgraphs)] };
}

function withKeys(
  node: ObjectTypeDefinitionNode,
  {
    keys,
    subgraphs,
    fields,
  }: {
    readonly keys: readonly { readonly graphs: readonly string[] }[];
    readonly subgraphs: readonly EntitySubgraph[];
    readonly fields: readonly FieldDefinitionNode[];
  },
): ObjectTypeDefinitionNode {
  const own = keys.map((key, at) => ({ ...(subgraphs[at] as EntitySubgraph), owners: key.graphs }));
  const types = own.flatMap(({ graph, key, owners }) => [
    `@join__type(graph: ${graph}, key: "${key}", resolvable: false)`,
    ...owners.map((owner) => `@join__type(graph: ${owner}, key: "${key}")`),
  ]);
  const added = own.map(({ graph, key }) => `${key}: _Any @join__field(graph: ${graph})`);
  return extended(node, types, [...fields, ...fieldsIn(added)]);
}

/** A field without `@join__field` is one of all subgraphs of its type, so it must name those that it had before. */
function withGraphs(node: ObjectTypeDefinitionNode): readonly FieldDefinitionNode[] {
  const graphs = new Set(argumentsOf(node, "join__type").map(({ graph }) => String(graph)));
  const all = parseDirectives([...graphs].map((graph) => `@join__field(graph: ${graph})`).join(" "));
  return (node.fields ?? []).map((field) =>
    argumentsOf(field, "join__field").length > 0
      ? field
      : { ...field, directives: [...(field.directives ?? []), ...all] },
  );
}

function extended(
  node: ObjectTypeDefinitionNode,
  types: readonly string[],
  fields: readonly FieldDefinitionNode[],
): ObjectTypeDefinitionNode {
  return { ...node, directives: [...(node.directives ?? []), ...parseDirectives(types.join(" "))], fields };
}

function typesOf(subgraphs: readonly EntitySubgraph[]): readonly DefinitionNode[] {
  const scalar = subgraphs.map(({ graph }) => `@join__type(graph: ${graph})`).join(" ");
  const unions = subgraphs.map(({ graph, union, types }) => {
    const members = types.map((type) => `@join__unionMember(graph: ${graph}, member: "${type}")`).join(" ");
    return `union ${union} @join__type(graph: ${graph}) ${members} = ${types.join(" | ")}`;
  });
  return parse(`scalar _Any ${scalar} ${unions.join(" ")}`, { noLocation: true }).definitions;
}

function fieldsIn(texts: readonly string[]): readonly FieldDefinitionNode[] {
  const [type] = parse(`type Query { ${texts.join(" ")} }`, { noLocation: true }).definitions;
  return type?.kind === Kind.OBJECT_TYPE_DEFINITION ? (type.fields ?? []) : [];
}

function enumValues(texts: readonly string[]) {
  const [type] = parse(`enum Graph { ${texts.join(" ")} }`, { noLocation: true }).definitions;
  return type?.kind === Kind.ENUM_TYPE_DEFINITION ? (type.values ?? []) : [];
}
