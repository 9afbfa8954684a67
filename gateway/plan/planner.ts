import { QueryPlanner } from "@graphql-hive/router-query-planner";
import {
  buildASTSchema,
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
} from "graphql";
import { once } from "../../core/async/once.ts";
import { consumerDocument } from "../schemas/consumer-schema.ts";
import { argumentsOf } from "../schemas/directives.ts";
import { entitiesOf } from "../schemas/entities.ts";
import { withFederationFields } from "../schemas/federation-fields.ts";
import { createRepresentationReader, type ReadRepresentation } from "../schemas/representations.ts";
import { subgraphSdl } from "../schemas/subgraph-sdl.ts";
import type { VariantName } from "../schemas/variants.ts";
import { variantDocument } from "../supergraph.ts";
import { createEntities } from "./entities.ts";
import { compileExecutable, type Executable, executableOf } from "./executable.ts";
import { readSupergraphTypes } from "./projection.ts";
import { planOf } from "./query-plan.ts";
import type { Subgraph } from "./subgraph.ts";

/** Plans operations over the subgraphs, and compiles their plans. */
export interface Planner {
  /** The schema of all operations. */
  readonly schema: GraphQLSchema;
  /** The schema that callers see, see `VariantName`. */
  readonly publicSchema: GraphQLSchema;
  /** The schema of the operations of callers: `publicSchema` with the fields `_service` and `_entities`, which other gateways use. */
  readonly callerSchema: GraphQLSchema;
  /** See `keyFieldsOf`. */
  readonly keyFields: ReadonlySet<string>;
  /** The SDL of the whole graph as one subgraph of another one. */
  readonly sdl: () => string;
  readonly readRepresentation: ReadRepresentation;
  /**
   * Compiles an operation of a valid document without introspection, `@skip` and `@include`. Holds the event loop for milliseconds. Throws
   * if the planner does not accept the operation. The answer has only what is visible in `shown`, which is the schema of all operations or of
   * callers. Default: that of all operations.
   */
  compile(document: DocumentNode, operationName: string | null, shown?: GraphQLSchema): Executable;
  /** The same for a query whose root fields are all `_entities`. */
  compileEntities(document: DocumentNode, operationName: string | null): Executable;
}

export interface PlannerOptions {
  /** The schema of callers. Default: `api`. */
  readonly variant?: VariantName | undefined;
  /** True if the SDL of the graph is an answer of `_service`. Default: true. */
  readonly publishesSchemas?: boolean | undefined;
}

export function createPlanner(
  supergraph: string,
  subgraphs: readonly Subgraph[],
  { variant = "api", publishesSchemas = true }: PlannerOptions = {},
): Planner {
  const planner = new QueryPlanner(supergraph);
  const document = consumerDocument(planner.consumerSchema);
  const composed = parse(supergraph, { noLocation: true });
  const schema = buildASTSchema(document, { assumeValid: true });
  const shown = variantDocument(supergraph, variant);
  const publicSchema = buildASTSchema(shown, { assumeValid: true });
  const entities = entitiesOf(composed, publicSchema);
  const callerDocument = withFederationFields(shown, entities, { hasService: publishesSchemas });
  const callerSchema = buildASTSchema(callerDocument, { assumeValid: true });
  const readRepresentation = createRepresentationReader(entities);
  const byName = new Map(subgraphs.map((subgraph) => [subgraph.name, subgraph]));
  const subgraphOf = (name: string): Subgraph => {
    const subgraph = byName.get(name);
    if (!subgraph) throw new Error(`the supergraph contains subgraph ${name}, which is not configured`);
    return subgraph;
  };
  const types = readSupergraphTypes(composed, schema);
  const callerTypes = readSupergraphTypes(composed, callerSchema);
  const compileEntities = createEntities({
    supergraph: composed,
    entities,
    readRepresentation,
    context: { schema: callerSchema, types: callerTypes, subgraphOf },
  });
  const operationOf = (operations: DocumentNode, operationName: string | null) =>
    getOperationAST(operations, operationName) as OperationDefinitionNode; // the document has it
  return {
    schema,
    publicSchema,
    callerSchema,
    keyFields: keyFieldsOf(composed),
    sdl: once(() => subgraphSdl(shown, composed, entities)),
    readRepresentation,
    compile(operations, operationName, shownSchema = schema) {
      const operation = operationOf(operations, operationName);
      const node = planOf(planner, operations, operationName);
      const visible = { schema: shownSchema, types: shownSchema === callerSchema ? callerTypes : types };
      return compileExecutable(node, { ...visible, document: operations, operation, subgraphOf });
    },
    compileEntities: (operations, operationName) =>
      executableOf(compileEntities(operations, operationOf(operations, operationName))),
  };
}

/**
 * The names of the fields by which the query planner finds entities in a supergraph. The planner adds them to the selections of callers, so
 * an alias with such a name would take the place of a key.
 */
function keyFieldsOf({ definitions }: DocumentNode): ReadonlySet<string> {
  const keys = definitions.flatMap((node) => argumentsOf(node, "join__type").map(({ key = "" }) => String(key)));
  return new Set(keys.flatMap((fields) => fields.match(/\w+/g) ?? []));
}
