import "reflect-metadata";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { type DocumentNode, type GraphQLSchema, isObjectType, Kind, parse, print, printSchema, visit } from "graphql";
import { buildSchemaSync, createResolversMap, type NonEmptyArray } from "type-graphql";
import { countRows } from "./row-budget.ts";

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@external", "@requires"])';

/** Finds the entity that a key names, or null. */
export type ResolveReference = (key: never, context: never) => Promise<unknown>;

export interface FederatedSchema {
  readonly schema: GraphQLSchema;
  /** What registries and the composition read. */
  readonly sdl: string;
}

/** A field's resolver that is called as it is. */
export type DirectResolver = (root: never, args: never, context: never) => unknown;

/**
 * Builds a subgraph from resolver classes and, by type name, what resolves the references to its entities. `direct`
 * holds, by type and field name, resolvers that take the place of those of the classes: TypeGraphQL makes promises of
 * arguments, which a field of a hot list cannot afford for each row. `entities` are those of other subgraphs that get fields
 * here, and that no field leads to.
 */
export function buildFederatedSchema(
  resolvers: NonEmptyArray<new () => object>,
  references: Readonly<Record<string, ResolveReference>>,
  direct: Readonly<Record<string, Readonly<Record<string, DirectResolver>>>> = {},
  entities: (new () => object)[] = [],
): FederatedSchema {
  // Subscriptions here have sources of their own, but TypeGraphQL insists on a topic bus.
  const pubSub = { publish: () => {}, subscribe: () => [] as never };
  const plain = buildSchemaSync({ resolvers, orphanedTypes: entities, validate: false, pubSub });
  const typeDefs = withDirectives(plain);
  const schema = buildSubgraphSchema([{ typeDefs, resolvers: resolversOf(plain, references, direct) }]);
  countRows(schema);
  return { schema, sdl: `${print(typeDefs)}\n` };
}

const ROOT_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Query: "What can be asked.",
  Mutation: "What can be changed.",
  Subscription: "What can be followed as it happens.",
};

/** `printSchema` leaves out the directives, which TypeGraphQL keeps on the nodes of types and fields; root types it cannot describe. */
function withDirectives(schema: GraphQLSchema): DocumentNode {
  const document = visit(parse(printSchema(schema)), {
    [Kind.OBJECT_TYPE_DEFINITION]: (printed) => {
      const type = schema.getType(printed.name.value);
      const directives = type?.astNode?.directives ?? [];
      const known = isObjectType(type) ? type.getFields() : {};
      const fields = printed.fields?.map((field) => ({
        ...field,
        directives: known[field.name.value]?.astNode?.directives ?? [],
      }));
      const node = { ...printed, ...(fields ? { fields } : {}) };
      const value = ROOT_DESCRIPTIONS[node.name.value];
      const description = value ? ({ kind: Kind.STRING, value, block: true } as const) : node.description;
      return { ...node, directives, ...(description ? { description } : {}) };
    },
  });
  return { ...document, definitions: [...parse(LINK).definitions, ...document.definitions] };
}

type Module = Extract<Parameters<typeof buildSubgraphSchema>[0], { readonly typeDefs: unknown }>;
type Resolvers = NonNullable<Module["resolvers"]>;

function resolversOf(
  schema: GraphQLSchema,
  references: Readonly<Record<string, ResolveReference>>,
  direct: Readonly<Record<string, Readonly<Record<string, DirectResolver>>>>,
): Resolvers {
  const resolvers: Record<string, unknown> = createResolversMap(schema);
  for (const [type, fields] of Object.entries(direct)) resolvers[type] = { ...(resolvers[type] as object), ...fields };
  for (const [type, resolve] of Object.entries(references))
    resolvers[type] = { ...(resolvers[type] as object), __resolveReference: resolve };
  return resolvers as Resolvers;
}
