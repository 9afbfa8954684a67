import type { IncomingMessage, ServerResponse } from "node:http";
import { type GraphQLSchema, print } from "graphql";
import { once } from "../core/async/once.ts";
import type { Config } from "../core/config/config-schema.ts";
import { createKeyRequirements } from "../core/limits/access/key-requirements.ts";
import type { Admission } from "../core/limits/admission/admission.ts";
import type { Logger } from "../core/observability/logger.ts";
import { createOutageLog } from "../core/observability/outage-log.ts";
import type { Access } from "./operation/access.ts";
import { createDocuments, createOperationReader, type DocumentOf, type ReadOperation } from "./operation/documents.ts";
import type { OperationContext } from "./operation/operation.ts";
import type { Outcome } from "./operation/outcome.ts";
import { type OperationRequest, type Pipeline, runOperation } from "./operation/run-operation.ts";
import { createPlanner, type Planner } from "./plan/planner.ts";
import { isLocal, type Subgraph } from "./plan/subgraph.ts";
import { createPreparedOperations, type PreparedOperations } from "./prepared-operations.ts";
import { type SchemaFile, schemaFiles } from "./schemas/schema-files.ts";
import { schemaVersion, sdlHash } from "./schemas/schema-version.ts";
import type { VariantName } from "./schemas/variants.ts";
import { committedSubgraphSdl, scalarTypes, variantDocument } from "./supergraph.ts";
import { createSchemaHandler } from "./transports/schemas.ts";

/** A supergraph and the subgraphs that answer it. */
export interface Supergraph {
  readonly supergraph: string;
  readonly subgraphs: readonly Subgraph[];
}

/** How operations are answered by one supergraph. What has begun by a version ends by it. */
export interface GraphVersion {
  /** SDL. */
  readonly supergraph: string;
  /** See `sdlHash`. */
  readonly hash: string;
  /** The schema of all operations. */
  readonly schema: GraphQLSchema;
  /** The schema that callers see. */
  readonly publicSchema: GraphQLSchema;
  readonly prepared: PreparedOperations;
  readonly readOperation: ReadOperation;
  readonly readRestOperation: ReadOperation;
  /** Answers requests to `/schema`. */
  answerSchema(request: IncomingMessage, response: ServerResponse): void;
  /** Runs an operation. Never rejects. */
  run(request: OperationRequest): Promise<Outcome>;
}

export interface VersionOptions {
  readonly config: Pick<Config, "graphql" | "keyRequirements" | "nodeInterface">;
  readonly access: Omit<Access, "requirements">;
  readonly admission: Admission;
  readonly documentOf: DocumentOf;
  readonly pipeline: Omit<Pipeline, "requirements">;
  readonly logger: Logger;
}

/** Characters of the documents of REST that are kept if it runs in another process. All of them have about 30,000. */
const REST_CHARACTERS = 100_000;

/** Takes about 300 ms for the supergraph of Moraine. Throws if the supergraph cannot be used, or lacks a field of the settings. */
export function createGraphVersion(
  { supergraph, subgraphs }: Supergraph,
  { config, access, admission, documentOf, pipeline: shared, logger }: VersionOptions,
): GraphVersion {
  const { introspection, publishSchemas } = config.graphql;
  const watched = subgraphs.map((one) =>
    isLocal(one) ? one : { ...one, outages: createOutageLog({ logger, subject: `the subgraph ${one.name}` }) },
  );
  const planner = createPlanner(supergraph, watched, {
    variant: config.nodeInterface.public ? "public" : "api",
    publishesSchemas: publishSchemas,
  });
  const { schema, publicSchema, callerSchema } = planner;
  const requirements = createKeyRequirements(config, schema);
  const pipeline: Pipeline = { ...shared, requirements };
  const ofCallers = { ...access, requirements, planner };
  const operations: OperationContext = { ...ofCallers, schema: callerSchema, describedSchema: publicSchema };
  const restOperations: OperationContext = { ...ofCallers, schema, describedSchema: schema };
  const readerOf = (context: OperationContext, maxCharacters?: number) =>
    createOperationReader({
      documentOf,
      documents: createDocuments({
        schema: context.schema,
        allowsIntrospection: introspection,
        gate: admission.document,
        maxCharacters,
      }),
      operations: context,
    });
  return {
    supergraph,
    hash: sdlHash(supergraph),
    schema,
    publicSchema,
    prepared: createPreparedOperations(restOperations, pipeline.publicError),
    readOperation: readerOf(operations),
    readRestOperation: readerOf(restOperations, REST_CHARACTERS),
    answerSchema: createSchemaHandler({
      files: once(() => (publishSchemas ? publishedFiles({ supergraph, subgraphs }, planner) : [])),
      version: once(() => schemaVersion(publicSchema)),
      logger,
    }),
    run: (request) => runOperation(pipeline, request),
  };
}

/** The SDL of subgraphs that are not Moraine's own is not known here. */
function publishedFiles({ supergraph, subgraphs }: Supergraph, { sdl }: Planner): readonly SchemaFile[] {
  const variant = (name: VariantName) => () => `${print(variantDocument(supergraph, name))}\n`;
  const own = subgraphs.filter((one) => isLocal(one) || !one.isExternal);
  const isOwn = (name: string) => own.some((one) => one.name === name);
  return schemaFiles({
    supergraph,
    variants: { api: variant("api"), public: variant("public") },
    subgraph: sdl,
    subgraphSdl: (name) => (isOwn(name) ? committedSubgraphSdl(name) : null),
    scalars: own.length > 0 ? scalarTypes : null,
  });
}
