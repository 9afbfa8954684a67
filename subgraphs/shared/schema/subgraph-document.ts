import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  type InputValueDefinitionNode,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isTypeDefinitionNode,
  Kind,
  parse,
  printSchema,
  type TypeDefinitionNode,
  visit,
} from "graphql";

import type { ComposedDirective } from "./composed-directive.ts";
import { withEntityId } from "./entity-ids.ts";
import { ROOT_DESCRIPTIONS } from "./root-descriptions.ts";
import { withNullableRoots } from "./semantic-non-null.ts";

const FEDERATION = "https://specs.apollo.dev/federation/v2.3";
const FEDERATION_DIRECTIVES = [
  "@key",
  "@shareable",
  "@external",
  "@requires",
  "@provides",
  "@override",
  "@tag",
  "@inaccessible",
  "@interfaceObject",
  "@composeDirective",
];

/** The schema keeps the nodes of its document. Without this, each would keep its tokens. */
const WITHOUT_TOKENS = { noLocation: true } as const;

/**
 * The subgraph's SDL: the schema with its directives, which `printSchema` leaves out, and `@link` to the specifications of
 * those that are used. TypeGraphQL keeps the directives of `@Directive` on the nodes of types, fields and arguments;
 * `typeDirectives` holds those of other types, by name.
 */
export function subgraphDocument(
  schema: GraphQLSchema,
  typeDirectives: Readonly<Record<string, readonly string[]>>,
  composed: readonly ComposedDirective[],
): DocumentNode {
  const definitions = parse(printSchema(schema), WITHOUT_TOKENS).definitions.map((node): DefinitionNode => {
    const type = isTypeDefinitionNode(node) && schema.getType(node.name.value);
    if (!type || !isTypeDefinitionNode(node)) return node;
    const directives = [...directivesOf(type), ...(typeDirectives[type.name] ?? []).flatMap(parseDirective)];
    const complete = withDirectives(withMembers(withDescription(node), type), directives);
    return withEntityId(withNullableRoots(complete));
  });
  const extension = schemaExtension(definitions, composed);
  return { kind: Kind.DOCUMENT, definitions: [...parse(extension, WITHOUT_TOKENS).definitions, ...definitions] };
}

/** A type, field or argument of the schema. */
interface Annotated {
  readonly astNode?: { readonly directives?: readonly ConstDirectiveNode[] | undefined } | null | undefined;
}

const directivesOf = (annotated: Annotated | undefined): readonly ConstDirectiveNode[] =>
  annotated?.astNode?.directives ?? [];

function withDirectives<Node extends { readonly directives?: readonly ConstDirectiveNode[] | undefined }>(
  node: Node,
  directives: readonly ConstDirectiveNode[],
): Node {
  return directives.length > 0 ? { ...node, directives: [...(node.directives ?? []), ...directives] } : node;
}

/** The definition with the directives of its fields and their arguments. */
function withMembers(node: TypeDefinitionNode, type: GraphQLNamedType): TypeDefinitionNode {
  if (node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.INTERFACE_TYPE_DEFINITION)
    return { ...node, fields: (node.fields ?? []).map((field) => withFieldDirectives(field, type)) };
  if (node.kind !== Kind.INPUT_OBJECT_TYPE_DEFINITION || !isInputObjectType(type)) return node;
  const known = type.getFields();
  return {
    ...node,
    fields: (node.fields ?? []).map((field) => withDirectives(field, directivesOf(known[field.name.value]))),
  };
}

function withFieldDirectives(node: FieldDefinitionNode, type: GraphQLNamedType): FieldDefinitionNode {
  const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined;
  const argument = ({ name }: InputValueDefinitionNode) => field?.args.find((known) => known.name === name.value);
  const args = node.arguments?.map((printed) => withDirectives(printed, directivesOf(argument(printed))));
  return withDirectives(args ? { ...node, arguments: args } : node, directivesOf(field));
}

/** TypeGraphQL cannot describe the root types. */
function withDescription(node: TypeDefinitionNode): TypeDefinitionNode {
  const value = ROOT_DESCRIPTIONS[node.name.value];
  return value ? { ...node, description: { kind: Kind.STRING, value, block: true } } : node;
}

function parseDirective(text: string): readonly ConstDirectiveNode[] {
  const [definition] = parse(`scalar Any ${text}`, WITHOUT_TOKENS).definitions;
  return definition?.kind === Kind.SCALAR_TYPE_DEFINITION ? (definition.directives ?? []) : [];
}

/** Imports the directives of the federation that are used, and the subgraph's own. */
function schemaExtension(definitions: readonly DefinitionNode[], composed: readonly ComposedDirective[]): string {
  const used = new Set(composed.length > 0 ? ["@composeDirective"] : []);
  visit({ kind: Kind.DOCUMENT, definitions }, { Directive: ({ name }) => void used.add(`@${name.value}`) });
  const links = [
    link(
      FEDERATION,
      FEDERATION_DIRECTIVES.filter((name) => used.has(name)),
    ),
    ...composed.map(({ directive, specUrl }) => link(specUrl, [`@${directive.name}`])),
    ...composed.map(({ directive }) => `@composeDirective(name: "@${directive.name}")`),
  ];
  return `extend schema ${links.join(" ")}`;
}

const link = (url: string, names: readonly string[]): string =>
  `@link(url: "${url}", import: ${JSON.stringify(names)})`;
