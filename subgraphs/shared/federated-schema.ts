import "reflect-metadata";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { type GraphQLSchema, print, specifiedDirectives } from "graphql";
import { buildSchemaSync, type NonEmptyArray } from "type-graphql";
import type { CompileText } from "../../core/graph/answer-text.ts";
import { observeRootFields } from "../../core/observability/observe.ts";
import { limitAnswers } from "./answer-limits.ts";
import { createTextCompiler } from "./answer-text/compile-text.ts";
import type { ComposedDirective } from "./schema/composed-directive.ts";
import { countResolversOf } from "./schema/connections.ts";
import { idResolversOf } from "./schema/entity-ids.ts";
import { type ResolveReference, readDefaults, refuseUnknownEntities, resolversOf } from "./schema/resolvers.ts";
import { refuseNullRoots, SEMANTIC_NON_NULL } from "./schema/semantic-non-null.ts";
import { subgraphDocument } from "./schema/subgraph-document.ts";

export interface FederatedSchema {
  readonly schema: GraphQLSchema;
  /** The SDL that registries and the composition read. */
  readonly sdl: string;
  /** Compiles operations to the text of their answers. */
  readonly compileText: CompileText;
}

export interface FederatedSchemaOptions {
  /** Entities that no field of this subgraph returns, for example entities of other subgraphs that get fields here. */
  readonly entities?: (new () => object)[];
  /** Directives, by the name of an enum, union or scalar, on which TypeGraphQL's `@Directive` cannot be set. */
  readonly typeDirectives?: Readonly<Record<string, readonly string[]>>;
  /** Directives of Moraine that stay in the supergraph. */
  readonly composedDirectives?: readonly ComposedDirective[];
}

/** Builds a subgraph from resolver classes and, by type name, the resolvers of references to its entities. */
export function buildFederatedSchema(
  resolvers: NonEmptyArray<new () => object>,
  references: Readonly<Record<string, ResolveReference>>,
  options: FederatedSchemaOptions = {},
): FederatedSchema {
  const { entities = [], typeDirectives = {} } = options;
  const composedDirectives = [SEMANTIC_NON_NULL, ...(options.composedDirectives ?? [])];
  // TypeGraphQL requires a `pubSub`, but the subscriptions of Moraine have their own sources of events.
  const pubSub = { publish: () => {}, subscribe: () => [] as never };
  const directives = [...specifiedDirectives, ...composedDirectives.map(({ directive }) => directive)];
  // `buildSubgraphSchema` checks the schema below, so TypeGraphQL does not check it too, which would delay each start.
  const unchecked = { skipCheck: true, validate: false } as const;
  const plain = buildSchemaSync({ resolvers, orphanedTypes: entities, pubSub, directives, ...unchecked });
  const typeDefs = subgraphDocument(plain, typeDirectives, composedDirectives);
  const derived = { ...idResolversOf(plain, typeDefs), ...countResolversOf(plain) };
  const schema = buildSubgraphSchema([{ typeDefs, resolvers: resolversOf(plain, resolvers, references, derived) }]);
  readDefaults(schema);
  refuseUnknownEntities(schema);
  refuseNullRoots(schema);
  limitAnswers(schema);
  observeRootFields(schema);
  return { schema, sdl: `${print(typeDefs)}\n`, compileText: createTextCompiler(schema) };
}
