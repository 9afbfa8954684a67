import { type PlanNode, QueryPlanner } from "@graphql-hive/router-query-planner";
import {
  buildASTSchema,
  type DefinitionNode,
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type NamedTypeNode,
  type OperationDefinitionNode,
  parse,
  print,
} from "graphql";
import { compileExecutable, type Executable } from "./executable.ts";
import { readSupergraphTypes } from "./projection.ts";
import { publicDocument } from "./public-schema.ts";
import type { Subgraph } from "./subgraph.ts";

/** Plans operations over the subgraphs, and compiles their plans. */
export interface Planner {
  /** The schema of all operations. */
  readonly schema: GraphQLSchema;
  /** The schema that callers see: `schema` without what exists only for REST. */
  readonly publicSchema: GraphQLSchema;
  /** See `keyFieldsOf`. */
  readonly keyFields: ReadonlySet<string>;
  /**
   * Compiles an operation of a valid document without introspection, `@skip` and `@include`. Holds the event loop for milliseconds. Throws
   * if the planner does not accept the operation.
   */
  compile(document: DocumentNode, operationName: string | null): Executable;
}

export function createPlanner(supergraph: string, subgraphs: readonly Subgraph[]): Planner {
  const planner = new QueryPlanner(supergraph);
  const document = accessibleDocument(planner.consumerSchema);
  const composed = parse(supergraph, { noLocation: true });
  const schema = buildASTSchema(document, { assumeValid: true });
  const types = readSupergraphTypes(composed, schema);
  const byName = new Map(subgraphs.map((subgraph) => [subgraph.name, subgraph]));
  const subgraphOf = (name: string): Subgraph => {
    const subgraph = byName.get(name);
    if (!subgraph) throw new Error(`the supergraph contains subgraph ${name}, which is not configured`);
    return subgraph;
  };
  return {
    schema,
    publicSchema: buildASTSchema(publicDocument(document, composed), { assumeValid: true }),
    keyFields: keyFieldsOf(supergraph),
    compile(document, operationName) {
      const operation = getOperationAST(document, operationName) as OperationDefinitionNode; // the document has it
      const node = plan(planner, document, operationName);
      return compileExecutable(node, { schema, types, document, operation, subgraphOf });
    },
  };
}

/** Null if nothing has to be fetched. */
function plan(planner: QueryPlanner, document: DocumentNode, operationName: string | null): PlanNode | null {
  return planner.plan(print(document), operationName, new Set(), 0).node ?? null;
}

/**
 * The schema without what is `@inaccessible`. The planner lists the fields of introspection in it, which must not be defined, and leaves hidden types in
 * unions and among interfaces.
 */
function accessibleDocument(text: string): DocumentNode {
  const document = parse(text, { noLocation: true });
  const defined = new Set(document.definitions.map((node) => ("name" in node ? node.name?.value : undefined)));
  const visible = ({ name }: NamedTypeNode): boolean => defined.has(name.value);
  const definitions = document.definitions.map((node): DefinitionNode => {
    if (node.kind === Kind.UNION_TYPE_DEFINITION) return { ...node, types: node.types?.filter(visible) ?? [] };
    if (node.kind !== Kind.OBJECT_TYPE_DEFINITION && node.kind !== Kind.INTERFACE_TYPE_DEFINITION) return node;
    const fields = node.fields?.filter(({ name }) => !name.value.startsWith("__")) ?? [];
    return { ...node, fields, interfaces: node.interfaces?.filter(visible) ?? [] };
  });
  return { ...document, definitions };
}

/**
 * The names of the fields by which the query planner finds entities in a supergraph. The planner adds them to the selections of callers, so
 * an alias with such a name would take the place of a key.
 */
function keyFieldsOf(supergraph: string): ReadonlySet<string> {
  const keys = supergraph.matchAll(/@join__type\([^)]*key: "([^"]*)"/g);
  return new Set([...keys].flatMap(([, fields = ""]) => fields.match(/\w+/g) ?? []));
}
