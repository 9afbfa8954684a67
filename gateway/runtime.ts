import { createGatewayRuntime, type GatewayRuntime } from "@graphql-hive/gateway-runtime";
import { heavyTurn } from "../core/admission/heavy-turns.ts";
import { PREFLIGHT_SECONDS } from "../core/http/cors.ts";
import { EXPOSED_HEADERS } from "./direct/send-answer.ts";
import { createHiveExecutor } from "./hive-executor.ts";
import { readOperationList } from "./operation-list.ts";
import type { GraphContext } from "./pipeline/graph-context.ts";
import { createPipeline, type PipelineOptions } from "./pipeline/pipeline.ts";
import type { Subgraph } from "./subgraph.ts";
import { createTransport } from "./subgraph-transport.ts";

export const GRAPHQL_PATH = "/graphql";

/** Path suffix of the runtime's own probes. No URL ends with a space, so these probes are off: Moraine has its own. */
const NO_ENDPOINT = " ";

export type Runtime = GatewayRuntime<GraphContext>;

/** The runtime, and a function that builds what its first planned operation would otherwise build. */
export interface PreparableRuntime {
  readonly runtime: Runtime;
  /** Reads the supergraph, and makes Hive's executor. Further calls do nothing. */
  warmUp(): Promise<void>;
}

export interface RuntimeOptions extends Omit<PipelineOptions, "allowedOperations"> {
  readonly supergraph: string;
  readonly subgraphs: readonly Subgraph[];
}

/** Hive's gateway runtime with Moraine's pipeline: plans and runs operations, and serves GraphQL over HTTP and SSE. */
export function createRuntime(options: RuntimeOptions): PreparableRuntime {
  const { supergraph, subgraphs, settings, passThrough } = options;
  const { allowedOperationsFile } = settings;
  const allowedOperations = allowedOperationsFile === undefined ? null : readOperationList(allowedOperationsFile);
  const hive = createHiveExecutor(passThrough.schema, supergraph);
  replaceUnknownLogLevel();
  const runtime = createGatewayRuntime<GraphContext>({
    supergraph,
    unifiedGraphHandler: hive.handle,
    transports: { http: createTransport(subgraphs) },
    graphqlEndpoint: GRAPHQL_PATH,
    landingPage: false,
    healthCheckEndpoint: NO_ENDPOINT,
    readinessCheckEndpoint: NO_ENDPOINT,
    // Moraine answers these requests before they reach the runtime.
    graphiql: false,
    maskedErrors: false,
    logging: false,
    cors: { origin: "*", credentials: false, exposedHeaders: EXPOSED_HEADERS, maxAge: PREFLIGHT_SECONDS },
    plugins: () => createPipeline({ ...options, allowedOperations }),
  });
  return {
    runtime,
    async warmUp() {
      await heavyTurn();
      await runtime.getSchema();
      await hive.warmUp();
    },
  };
}

/** Levels of Hive's loggers. */
const LEVELS: ReadonlySet<string> = new Set(["trace", "debug", "info", "warn", "error"]);

/**
 * Hive's loggers read the variable LOG_LEVEL even if logging is off, and throw for levels that they do not know, such as `fatal`.
 * Moraine has already read the variable.
 */
function replaceUnknownLogLevel(): void {
  const { LOG_LEVEL } = process.env;
  if (LOG_LEVEL !== undefined && !LEVELS.has(LOG_LEVEL)) process.env["LOG_LEVEL"] = "error";
}
