import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DirectiveDefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  parse,
  print,
} from "graphql";
import { argumentsOf, type Directed, parseDirectives } from "./directives.ts";
import type { Entities } from "./entities.ts";

/** The specifications of the supergraph itself. Other links name directives of the subgraphs. */
const OWN_LINK = /^https:\/\/specs\.apollo\.dev\/(link|join|tag|inaccessible|federation)\//;
const FEDERATION = "https://specs.apollo.dev/federation/v2.3";
const ROOTS: ReadonlySet<string> = new Set(["Query", "Mutation", "Subscription"]);

/**
 * The SDL of a whole supergraph as one subgraph of another one: the schema of its callers, with the keys of entities, with `@shareable` on
 * all other types, because another subgraph may have the same ones (such as `PageInfo`), and with the tags and the composed directives.
 */
export function subgraphSdl(schema: DocumentNode, supergraph: DocumentNode, entities: Entities): string {
  const tagged = tagsByCoordinate(supergraph);
  const withTags = <Node extends Directed & { readonly name: { readonly value: string } }>(
    node: Node,
    ...parents: readonly string[]
  ): Node => {
    const tags = tagged.get([...parents, node.name.value].join(".")) ?? [];
    return { ...node, directives: [...(node.directives ?? []), ...tags] };
  };
  const definitions = schema.definitions.flatMap((node): readonly DefinitionNode[] => {
    if (node.kind === Kind.SCHEMA_DEFINITION) return [];
    if (!("name" in node) || !node.name || node.kind === Kind.DIRECTIVE_DEFINITION) return [node];
    const parent = node.name.value;
    const withArguments = (field: FieldDefinitionNode): FieldDefinitionNode => ({
      ...withTags(field, parent),
      arguments: field.arguments?.map((argument) => withTags(argument, parent, field.name.value)) ?? [],
    });
    switch (node.kind) {
      case Kind.OBJECT_TYPE_DEFINITION: {
        const directives = [...(node.directives ?? []), ...federationDirectives(parent, entities)];
        return [withTags({ ...node, directives, fields: node.fields?.map(withArguments) ?? [] })];
      }
      case Kind.INTERFACE_TYPE_DEFINITION:
        return [withTags({ ...node, fields: node.fields?.map(withArguments) ?? [] })];
      case Kind.INPUT_OBJECT_TYPE_DEFINITION:
        return [withTags({ ...node, fields: node.fields?.map((field) => withTags(field, parent)) ?? [] })];
      case Kind.ENUM_TYPE_DEFINITION:
        return [withTags({ ...node, values: node.values?.map((value) => withTags(value, parent)) ?? [] })];
      case Kind.UNION_TYPE_DEFINITION:
      case Kind.SCALAR_TYPE_DEFINITION:
        return [withTags(node)];
      default:
        return [node];
    }
  });
  const composed = composedLinks(supergraph, definitions);
  const [link] = parse(`extend schema ${[FEDERATION_LINK, ...composed].join(" ")}`, { noLocation: true }).definitions;
  return `${print({ ...schema, definitions: [...(link ? [link] : []), ...definitions] })}\n`;
}

const FEDERATION_LINK = `@link(url: "${FEDERATION}", import: ["@key", "@shareable", "@tag", "@composeDirective"])`;

function federationDirectives(type: string, entities: Entities): readonly ConstDirectiveNode[] {
  if (ROOTS.has(type)) return [];
  const keys = entities.get(type)?.map(({ text }) => `@key(fields: ${JSON.stringify(text)})`);
  return parseDirectives(keys?.join(" ") ?? "@shareable");
}

/** The links to the specifications of directives that the schema defines, and their `@composeDirective`. */
function composedLinks({ definitions }: DocumentNode, shown: readonly DefinitionNode[]): readonly string[] {
  const defined = new Set(shown.filter(isDirectiveDefinition).map(({ name }) => `@${name.value}`));
  const schema = definitions.find((node) => node.kind === Kind.SCHEMA_DEFINITION);
  return argumentsOf(schema ?? {}, "link").flatMap(({ url, import: imports = [] }) => {
    const names = [imports].flat().filter((name) => defined.has(String(name)));
    if (OWN_LINK.test(`${url}/`) || names.length === 0) return [];
    const composes = names.map((name) => `@composeDirective(name: "${name}")`);
    return [`@link(url: "${url}", import: ${JSON.stringify(names)})`, ...composes];
  });
}

const isDirectiveDefinition = (node: DefinitionNode): node is DirectiveDefinitionNode =>
  node.kind === Kind.DIRECTIVE_DEFINITION;

/** The applications of `@tag`, by what they are applied to, such as `Type.field.argument`. */
function tagsByCoordinate({ definitions }: DocumentNode): ReadonlyMap<string, readonly DirectiveNode[]> {
  const tags = new Map<string, readonly DirectiveNode[]>();
  const add = ({ directives = [] }: Directed, ...path: readonly string[]): void => {
    const own = directives.filter(({ name }) => name.value === "tag");
    if (own.length > 0) tags.set(path.join("."), own);
  };
  for (const node of definitions) {
    if (!("name" in node) || !node.name || node.kind === Kind.DIRECTIVE_DEFINITION) continue;
    const { value: parent } = node.name;
    add(node, parent);
    const members = "fields" in node ? node.fields : "values" in node ? node.values : [];
    for (const member of members ?? []) {
      add(member, parent, member.name.value);
      const given = "arguments" in member ? member.arguments : [];
      for (const argument of given ?? []) add(argument, parent, member.name.value, argument.name.value);
    }
  }
  return tags;
}
