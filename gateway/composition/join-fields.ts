import {
  type ConstDirectiveNode,
  type ConstValueNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  print,
  type TypeNode,
  visit,
} from "graphql";
import { argumentsOf } from "../schemas/directives.ts";
import { joinGraphs } from "../schemas/join-graphs.ts";
import { isFederationDirective, membersOf, namedTypeOf, typesWithFields } from "./definitions.ts";

export interface SubgraphDocument {
  readonly name: string;
  readonly typeDefs: DocumentNode;
}

/**
 * Adds to a supergraph what the composition leaves out of it:
 * - A field whose subgraphs return a union or an interface, and one of its objects, has the union or the interface as its type.
 * - A field of an interface that a subgraph has as an object names the subgraphs for which it is external, or requires other fields, also if
 *   all subgraphs define it.
 * Returns the same document if nothing is missing.
 */
export function withJoinFields(supergraph: DocumentNode, subgraphs: readonly SubgraphDocument[]): DocumentNode {
  const graphs = new Map(joinGraphs(supergraph).map(({ name, value }) => [name, value]));
  const members = membersOf(supergraph);
  const definitions = subgraphs.map(({ name, typeDefs }) => ({
    graph: graphs.get(name) ?? "",
    fields: fieldsOf(typeDefs),
  }));
  const leave = <Node extends ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode>(node: Node): Node | undefined => {
    const owner = {
      members,
      isInterfaceObject: argumentsOf(node, "join__type").some((join) => join["isInterfaceObject"] === true),
    };
    const fields = node.fields?.map((field) => {
      const key = `${node.name.value}.${field.name.value}`;
      const origins = definitions.flatMap(({ graph, fields: known }) => {
        const origin = known.get(key);
        return origin ? [{ graph, field: origin }] : [];
      });
      return joined(field, origins, owner);
    });
    return fields?.some((field, at) => field !== node.fields?.[at]) ? { ...node, fields } : undefined;
  };
  return visit(supergraph, { ObjectTypeDefinition: { leave }, InterfaceTypeDefinition: { leave } });
}

/** The definition of a field in a subgraph. */
interface Origin {
  /** The value of `join__Graph`. */
  readonly graph: string;
  readonly field: FieldDefinitionNode;
}

interface Owner {
  readonly members: ReadonlyMap<string, ReadonlySet<string>>;
  readonly isInterfaceObject: boolean;
}

function joined(field: FieldDefinitionNode, origins: readonly Origin[], owner: Owner): FieldDefinitionNode {
  const names = new Set(origins.map((origin) => namedTypeOf(origin.field.type)));
  const widest = [...names].find((name) =>
    [...names].every((other) => other === name || owner.members.get(name)?.has(other)),
  );
  const isWider = names.size > 1 && widest !== undefined;
  const type = isWider ? withName(field.type, widest) : field.type;
  const directives = field.directives ?? [];
  if (directives.some(isJoinField)) {
    if (!isWider) return field;
    const typed = directives.map((directive) =>
      isJoinField(directive) ? withType(directive, origins, type) : directive,
    );
    return { ...field, type, directives: typed };
  }
  if (!isWider && !(owner.isInterfaceObject && origins.some(({ field: origin }) => needsOthers(origin)))) return field;
  return { ...field, type, directives: [...directives, ...origins.map((origin) => joinField(origin, type))] };
}

const isJoinField = ({ name }: ConstDirectiveNode): boolean => name.value === "join__field";

function withType(directive: ConstDirectiveNode, origins: readonly Origin[], type: TypeNode): ConstDirectiveNode {
  const others = directive.arguments?.filter(({ name }) => name.value !== "type") ?? [];
  const graph = others.find(({ name }) => name.value === "graph")?.value;
  const origin = origins.find((one) => graph?.kind === Kind.ENUM && graph.value === one.graph);
  return { ...directive, arguments: [...others, ...(origin ? typeArgument(origin, type) : [])] };
}

function joinField(origin: Origin, type: TypeNode): ConstDirectiveNode {
  return {
    kind: Kind.DIRECTIVE,
    name: { kind: Kind.NAME, value: "join__field" },
    arguments: [
      argument("graph", { kind: Kind.ENUM, value: origin.graph }),
      ...typeArgument(origin, type),
      ...fieldSet(origin, "requires"),
      ...fieldSet(origin, "provides"),
      ...(directiveOf(origin.field, "external") ? [argument("external", { kind: Kind.BOOLEAN, value: true })] : []),
    ],
  };
}

function typeArgument({ field }: Origin, type: TypeNode) {
  const text = print(field.type);
  return text === print(type) ? [] : [argument("type", { kind: Kind.STRING, value: text })];
}

function fieldSet({ field }: Origin, name: "requires" | "provides") {
  const value = directiveOf(field, name)?.arguments?.[0]?.value;
  return value ? [argument(name, value)] : [];
}

const argument = (name: string, value: ConstValueNode) =>
  ({ kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: name }, value }) as const;

const directiveOf = ({ directives = [] }: FieldDefinitionNode, name: string): ConstDirectiveNode | undefined =>
  directives.find((directive) => isFederationDirective(directive, name));

const needsOthers = (field: FieldDefinitionNode): boolean =>
  ["external", "requires", "provides"].some((name) => directiveOf(field, name));

function withName(type: TypeNode, name: string): TypeNode {
  if (type.kind === Kind.NAMED_TYPE) return { ...type, name: { ...type.name, value: name } };
  // A type in a list or in a non-null type stays one of its kind.
  return { ...type, type: withName(type.type, name) } as TypeNode;
}

/** The fields of a subgraph, by `Type.field` with the names of the supergraph. */
function fieldsOf(subgraph: DocumentNode): ReadonlyMap<string, FieldDefinitionNode> {
  const roots = new Map<string, string>();
  for (const node of subgraph.definitions)
    if (node.kind === Kind.SCHEMA_DEFINITION || node.kind === Kind.SCHEMA_EXTENSION)
      for (const { operation, type } of node.operationTypes ?? [])
        roots.set(type.name.value, operation.charAt(0).toUpperCase() + operation.slice(1));
  const nameOf = (name: string) => roots.get(name) ?? name;
  return new Map(
    typesWithFields(subgraph).flatMap(({ name, fields = [] }) =>
      fields.map((field) => [`${nameOf(name.value)}.${field.name.value}`, field] as const),
    ),
  );
}
