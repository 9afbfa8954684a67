import { hash } from "node:crypto";
import type { GraphQLSchema } from "graphql";
import type { Config } from "../core/config/config-schema.ts";
import { createKeyRequirements } from "../core/limits/access/key-requirements.ts";
import type { Admission } from "../core/limits/admission/admission.ts";
import type { Access } from "./operation/access.ts";
import { createDocuments, createOperationReader, type DocumentOf, type ReadOperation } from "./operation/documents.ts";
import type { OperationContext } from "./operation/operation.ts";
import type { Outcome } from "./operation/outcome.ts";
import { type OperationRequest, type Pipeline, runOperation } from "./operation/run-operation.ts";
import { createPlanner } from "./plan/planner.ts";
import type { Subgraph } from "./plan/subgraph.ts";
import { createPreparedOperations, type PreparedOperations } from "./prepared-operations.ts";

/** A supergraph and the subgraphs that answer it. */
export interface Supergraph {
  readonly supergraph: string;
  readonly subgraphs: readonly Subgraph[];
}

/** How operations are answered by one supergraph. What has begun by a version ends by it. */
export interface GraphVersion {
  /** SDL. */
  readonly supergraph: string;
  /** The first 12 hex digits of the SHA-256 of the SDL. */
  readonly hash: string;
  /** The schema of all operations. */
  readonly schema: GraphQLSchema;
  /** The schema that callers see. */
  readonly publicSchema: GraphQLSchema;
  readonly prepared: PreparedOperations;
  readonly readOperation: ReadOperation;
  readonly readRestOperation: ReadOperation;
  /** Runs an operation. Never rejects. */
  run(request: OperationRequest): Promise<Outcome>;
}

export interface VersionOptions {
  readonly config: Pick<Config, "graphql" | "keyRequirements">;
  readonly access: Omit<Access, "requirements">;
  readonly admission: Admission;
  readonly documentOf: DocumentOf;
  readonly pipeline: Omit<Pipeline, "requirements">;
}

/** Characters of the documents of REST that are kept if it runs in another process. All of them have about 30,000. */
const REST_CHARACTERS = 100_000;

/** Takes about 300 ms for the supergraph of Moraine. Throws if the supergraph cannot be used, or lacks a field of the settings. */
export function createGraphVersion(
  { supergraph, subgraphs }: Supergraph,
  { config, access, admission, documentOf, pipeline: shared }: VersionOptions,
): GraphVersion {
  const planner = createPlanner(supergraph, subgraphs);
  const { schema, publicSchema } = planner;
  const requirements = createKeyRequirements(config, schema);
  const pipeline: Pipeline = { ...shared, requirements };
  const operations: OperationContext = { ...access, requirements, planner, schema: publicSchema };
  const restOperations: OperationContext = { ...operations, schema };
  const readerOf = (context: OperationContext, maxCharacters?: number) =>
    createOperationReader({
      documentOf,
      documents: createDocuments({
        schema: context.schema,
        allowsIntrospection: config.graphql.introspection,
        gate: admission.document,
        maxCharacters,
      }),
      operations: context,
    });
  return {
    supergraph,
    hash: hash("sha256", supergraph, "hex").slice(0, 12),
    schema,
    publicSchema,
    prepared: createPreparedOperations(restOperations, pipeline.publicError),
    readOperation: readerOf(operations),
    readRestOperation: readerOf(restOperations, REST_CHARACTERS),
    run: (request) => runOperation(pipeline, request),
  };
}
