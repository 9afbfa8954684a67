import { QueryPlanner } from "@graphql-hive/router-query-planner";
import {
  buildASTSchema,
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type GraphQLError,
  getArgumentValues,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type VariableDefinitionNode,
  visit,
} from "graphql";
import { once } from "../../core/async/once.ts";
import { Failure } from "../../core/errors/errors.ts";
import { coercedVariables, rootFieldsOf, unusedName, type Variables } from "../../core/graph/graph-document.ts";
import type { Entities } from "../schemas/entities.ts";
import { type EntitySubgraph, entitySubgraphs, entitySupergraph } from "../schemas/entity-supergraph.ts";
import { ENTITIES_FIELD } from "../schemas/federation-fields.ts";
import type { ReadRepresentation, Representation } from "../schemas/representations.ts";
import { compileQuery } from "./executable.ts";
import { type Fetch, type PlanContext, relocated, resultOf } from "./fetch.ts";
import { type DataObject, isData } from "./projection.ts";
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
 * Answers `_entities` by plans over a larger supergraph: in the subgraphs of `entitySubgraphs`, which run in this process, each entity is
 * the representation that the caller has sent. An operation has one plan for each index of a key, made when a representation has a key
 * with this index. The planner of the larger supergraph is made for the first operation.
 */
export function createEntities(options: EntitiesOptions): CompileEntities {
  const { supergraph, entities, readRepresentation, context } = options;
  const planner = once(() => new QueryPlanner(print(entitySupergraph(supergraph, entities))));
  const subgraphs = entitySubgraphs(entities);
  const local = new Map(subgraphs.map((subgraph) => [subgraph.name, representationsSubgraph(subgraph)]));
  const subgraphOf: PlanContext["subgraphOf"] = (name) => local.get(name) ?? context.subgraphOf(name);
  return (document, operation) => {
    const fields = new Map(rootFieldsOf(document, operation).map((node) => [responseKey(node), node]));
    const variable = unusedName(print(document), "moraine_entities_");
    const variables = new Map([...fields.keys()].map((key, at) => [key, `${variable}${at}`]));
    const compile = (subgraph: EntitySubgraph): Fetch => {
      const node = planOf(planner(), plannedDocument(document, subgraph, variables), operation.name?.value ?? null);
      const changeRepresentation = withKey(subgraph);
      return compileQuery(node, { ...context, document, operation, subgraphOf, changeRepresentation }, (data) => {
        for (const key of fields.keys()) data[key] = withoutUnknown(data[key], subgraph);
      });
    };
    const parts = subgraphs.map((subgraph) => ({ subgraph, fetch: once(() => compile(subgraph)) }));
    return async (given, request) => {
      const { coerced, errors } = coercedVariables(context.schema, operation.variableDefinitions, given);
      if (errors) return { errors };
      const asked = [...fields].map(([key, node]) => {
        const { representations } = argumentsOf(node, coerced, context);
        return { key, items: representations.map(readRepresentation) };
      });
      const results = parts.flatMap(({ subgraph, fetch }, keyIndex) => {
        const lists = asked.map(({ key, items }) => [
          variables.get(key),
          items.map((item) => (isOf(item, keyIndex) ? entityOf(item, subgraph) : null)),
        ]);
        const isNeeded = asked.some(({ items }) => items.some((item) => isOf(item, keyIndex)));
        return isNeeded ? [fetch()({ ...given, ...Object.fromEntries(lists) }, request)] : [];
      });
      return combined(asked, (await Promise.all(results)).map(resultOf));
    };
  };
}

const responseKey = ({ alias, name }: FieldNode): string => (alias ?? name).value;

function argumentsOf(node: FieldNode, variables: Variables, { schema }: Pick<PlanContext, "schema">) {
  const field = schema.getQueryType()?.getFields()[ENTITIES_FIELD];
  if (!field) throw new Error("the schema has no entities");
  return getArgumentValues(field, node, variables) as { readonly representations: readonly unknown[] };
}

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
function representationsSubgraph({ name, field, union, key, types }: EntitySubgraph): LocalSubgraph {
  const schema = buildASTSchema(
    parse(`scalar _Any union ${union} = ${types.join(" | ")}
      type Query { ${field}(representations: [_Any]!): [${union}]! }
      ${types.map((type) => `type ${type} { ${key}: _Any }`).join(" ")}`),
    { assumeValid: true },
  );
  const root = schema.getQueryType()?.getFields()[field];
  if (root) root.resolve = (_source, { representations }) => representations;
  return { name, schema, context: () => null };
}

function isOf(item: Representation | Failure, keyIndex: number): item is Representation {
  return !(item instanceof Failure) && item.keyIndex === keyIndex;
}

const entityOf = ({ typename, key }: Representation, subgraph: EntitySubgraph): DataObject => ({
  __typename: typename,
  [subgraph.key]: key,
});

/** Returns the function that replaces the key which the planner sends to subgraphs by its fields. */
function withKey({ key }: EntitySubgraph): (representation: DataObject) => void {
  return (representation) => {
    const fields = representation[key];
    if (!isData(fields)) return;
    delete representation[key];
    Object.assign(representation, fields);
  };
}

/** The entities of an answer, with null for those that no subgraph has found. Their key is there if fields of subgraphs are selected. */
function withoutUnknown(entities: unknown, { key }: EntitySubgraph): unknown {
  const isUnknown = (entity: unknown): boolean =>
    isData(entity) && key in entity && Object.keys(entity).every((name) => name === key || name === "__typename");
  return Array.isArray(entities) ? entities.map((entity) => (isUnknown(entity) ? null : entity)) : entities;
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
