import { QueryPlanner } from "@graphql-hive/router-query-planner";
import {
  buildASTSchema,
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type GraphQLError,
  getArgumentValues,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionNode,
  TypeNameMetaFieldDef,
  type VariableDefinitionNode,
  visit,
} from "graphql";
import { once } from "../../core/async/once.ts";
import { Failure } from "../../core/errors/errors.ts";
import { coercedVariables, unusedName } from "../../core/graph/graph-document.ts";
import { selectedFields } from "../../core/graph/selection.ts";
import type { Entities } from "../schemas/entities.ts";
import {
  type EntitySubgraph,
  entitySubgraphSdl,
  entitySubgraphs,
  entitySupergraph,
} from "../schemas/entity-supergraph.ts";
import { ENTITIES_FIELD } from "../schemas/federation-fields.ts";
import type { ReadRepresentation, Representation } from "../schemas/representations.ts";
import { compileQuery } from "./executable.ts";
import { type Fetch, type PlanContext, relocated, resultOf } from "./fetch.ts";
import { type Scope, scopeOf } from "./projection.ts";
import { planOf } from "./query-plan.ts";
import type { LocalSubgraph } from "./subgraph.ts";

export interface EntitiesOptions {
  readonly supergraph: DocumentNode;
  readonly entities: Entities;
  readonly readRepresentation: ReadRepresentation;
  /** What ordinary operations are compiled with. The schema has the field `_entities`. */
  readonly context: Pick<PlanContext, "schema" | "types" | "subgraphOf">;
}

/** Compiles a query whose root fields are all `_entities`. For its document see `Planner.compile`. */
export type CompileEntities = (document: DocumentNode, operation: OperationDefinitionNode) => Fetch;

/**
 * Answers `_entities` by plans over a larger supergraph: in the subgraphs of `entitySubgraphs`, which run in this process, an entity is the
 * key that the caller has sent, from which the planner goes to the owners. An operation has one plan for each index of a key, made when a
 * representation has a key with this index. The planner of the larger supergraph is made for the first operation.
 */
export function createEntities(options: EntitiesOptions): CompileEntities {
  const { supergraph, entities, readRepresentation, context } = options;
  const { schema, types } = context;
  const subgraphs = entitySubgraphs(entities);
  const planner = once(() => new QueryPlanner(print(entitySupergraph(supergraph, subgraphs))));
  const local = new Map(subgraphs.map((subgraph) => [subgraph.name, representationsSubgraph(subgraph)]));
  const subgraphOf: PlanContext["subgraphOf"] = (name) => local.get(name) ?? context.subgraphOf(name);
  const root = schema.getQueryType();
  const definition = root?.getFields()[ENTITIES_FIELD];
  return (document, operation) => {
    if (!root || !definition) throw new Error("the schema has no entities");
    const scope = scopeOf(schema, types, document);
    const prefix = unusedName(print(document), "moraine_entities_");
    const fields = selectedFields(scope, root, operation.selectionSet.selections).map((field, at) => ({
      ...field,
      node: field.nodes[0] as FieldNode, // it is selected
      variable: `${prefix}${at}`,
    }));
    const variables = new Map(fields.map(({ key, variable }) => [key, variable]));
    const compile = (subgraph: EntitySubgraph): Fetch => {
      const node = planOf(planner(), plannedDocument(document, subgraph, variables), operation.name?.value ?? null);
      const changes = fields.map(({ key, selections }) => [key, withoutUnknown(scope, selections, subgraph)] as const);
      return compileQuery(node, { ...context, document, operation, subgraphOf }, (data, found) => {
        for (const [key, change] of changes) data[key] = change(data[key], found);
      });
    };
    const parts = subgraphs.map((subgraph) => once(() => compile(subgraph)));
    return async (given, request) => {
      const { coerced, errors } = coercedVariables(schema, operation.variableDefinitions, given);
      if (errors) return { errors };
      const asked = fields.map(({ key, node, variable }) => {
        const { representations } = getArgumentValues(definition, node, coerced) as {
          readonly representations: readonly unknown[];
        };
        return { key, variable, items: representations.map(readRepresentation) };
      });
      const results = parts.flatMap((fetch, keyIndex) => {
        if (!asked.some(({ items }) => items.some((item) => isOf(item, keyIndex)))) return [];
        const lists = asked.map(({ variable, items }) => [
          variable,
          items.map((item) => (isOf(item, keyIndex) ? { __typename: item.typename, ...item.key } : null)),
        ]);
        return [fetch()({ ...given, ...Object.fromEntries(lists) }, request)];
      });
      return combined(asked, (await Promise.all(results)).map(resultOf));
    };
  };
}

const responseKey = ({ alias, name }: FieldNode): string => (alias ?? name).value;

/** The operation for the planner: with the root field of a subgraph, whose representations are in variables, by the keys of the answer. */
function plannedDocument(
  document: DocumentNode,
  { field }: EntitySubgraph,
  variables: ReadonlyMap<string, string>,
): DocumentNode {
  const definitions = [...variables.values()].map((name) => `$${name}: [_Any]!`).join(" ");
  const [added] = parse(`query (${definitions}) { __typename }`, { noLocation: true }).definitions;
  const variableDefinitions: readonly VariableDefinitionNode[] =
    added?.kind === Kind.OPERATION_DEFINITION ? (added.variableDefinitions ?? []) : [];
  return visit(document, {
    OperationDefinition: (node) => ({
      ...node,
      variableDefinitions: [...(node.variableDefinitions ?? []), ...variableDefinitions],
    }),
    Field(node) {
      if (node.name.value !== ENTITIES_FIELD) return undefined;
      const key = responseKey(node);
      return {
        ...node,
        alias: { kind: Kind.NAME, value: key },
        name: { kind: Kind.NAME, value: field },
        arguments: node.arguments?.map((argument) => ({
          ...argument,
          value: { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: variables.get(key) ?? "" } },
        })),
      };
    },
  });
}

/** A subgraph that returns the entities which it gets as `representations`. */
function representationsSubgraph(subgraph: EntitySubgraph): LocalSubgraph {
  const schema = buildASTSchema(parse(entitySubgraphSdl(subgraph)), { assumeValid: true });
  const root = schema.getQueryType()?.getFields()[subgraph.field];
  if (root) root.resolve = (_source, { representations }) => representations;
  return { name: subgraph.name, schema, context: () => null };
}

function isOf(item: Representation | Failure, keyIndex: number): item is Representation {
  return !(item instanceof Failure) && item.keyIndex === keyIndex;
}

/** Returns the function that replaces entities by null which no subgraph has found although other fields than those of their key are selected. */
function withoutUnknown(scope: Scope, selections: readonly SelectionNode[], { fields }: EntitySubgraph) {
  const isFetched = new Map(
    [...fields].map(([name, own]) => {
      const type = scope.schema.getType(name);
      const selected = isObjectType(type) ? selectedFields(scope, type, selections) : [];
      return [name, selected.some(({ field }) => field !== TypeNameMetaFieldDef.name && !own.has(field))];
    }),
  );
  return (list: unknown, found: ReadonlySet<unknown>): unknown =>
    Array.isArray(list)
      ? list.map((entity) => (isFetched.get(String(entity?.__typename)) && !found.has(entity) ? null : entity))
      : list;
}

/** One field of an answer. */
interface Asked {
  readonly key: string;
  readonly items: readonly (Representation | Failure)[];
}

/** Each entity is in one of the results, and null in all others. */
function combined(asked: readonly Asked[], results: readonly ExecutionResult[]): ExecutionResult {
  const errors: GraphQLError[] = results.flatMap((result) => result.errors ?? []);
  for (const { key, items } of asked)
    for (const [at, item] of items.entries()) if (item instanceof Failure) errors.push(relocated(item, [key, at]));
  const failed = errors.length > 0 ? { errors } : {};
  if (results.some(({ data }) => !data)) return { ...failed, data: null };
  const data = asked.map(({ key, items }) => {
    const lists = results.map((result) => result.data?.[key] as readonly unknown[]);
    return [key, items.map((_, at) => lists.map((list) => list[at]).find((entity) => entity !== null) ?? null)];
  });
  return { ...failed, data: Object.fromEntries(data) };
}
