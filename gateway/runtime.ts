import { createGatewayRuntime, type GatewayRuntime } from "@graphql-hive/gateway-runtime";
import { unifiedGraphHandler } from "@graphql-hive/router-runtime";
import { renderGraphiQL } from "@graphql-yoga/render-graphiql";
import { RATE_LIMIT_HEADERS } from "../core/access/rate-limit.ts";
import type { Logger } from "../core/logger.ts";
import type { PassThrough } from "./pass-through.ts";
import type { GraphContext } from "./pipeline/graph-context.ts";
import { createPipeline } from "./pipeline/pipeline.ts";
import type { Access } from "./pipeline/use-access.ts";
import type { Subgraph } from "./subgraph.ts";
import { createTransport } from "./subgraph-transport.ts";

export const GRAPHQL_PATH = "/graphql";

/** Path suffix of the runtime's own probes. No URL ends with a space, so these probes are off: Moraine has its own. */
const NO_ENDPOINT = " ";

/** The query that GraphiQL opens with. */
const DEFAULT_QUERY = `{
  chains {
    chains {
      chainId
      chainName
      indexing { state blockNumber }
    }
  }
}
`;

export type Runtime = GatewayRuntime<GraphContext>;

/** The runtime, and a function that builds what its first planned operation would otherwise build. */
export interface PreparableRuntime {
  readonly runtime: Runtime;
  /** Builds the executable schema, which blocks the event loop for about 0.3 s. Further calls do nothing. */
  warmUp(): Promise<void>;
}

export interface RuntimeOptions {
  readonly supergraph: string;
  readonly subgraphs: readonly Subgraph[];
  readonly passThrough: PassThrough;
  readonly logger: Logger;
  readonly access: Access;
}

/** Hive's gateway runtime with Moraine's pipeline: plans and runs operations, and serves GraphQL over HTTP and SSE. */
export function createRuntime(options: RuntimeOptions): PreparableRuntime {
  const { supergraph, subgraphs, passThrough, logger, access } = options;
  let handler: Awaited<ReturnType<typeof unifiedGraphHandler>> | undefined;
  const runtime = createGatewayRuntime<GraphContext>({
    supergraph,
    async unifiedGraphHandler(handlerOptions) {
      handler = await unifiedGraphHandler(handlerOptions);
      return handler;
    },
    transports: { http: createTransport(subgraphs) },
    graphqlEndpoint: GRAPHQL_PATH,
    landingPage: false,
    healthCheckEndpoint: NO_ENDPOINT,
    readinessCheckEndpoint: NO_ENDPOINT,
    renderGraphiQL,
    graphiql: {
      title: "Moraine",
      defaultQuery: DEFAULT_QUERY,
    },
    maskedErrors: false,
    logging: false,
    cors: { origin: "*", credentials: false, exposedHeaders: ["x-request-id", ...RATE_LIMIT_HEADERS] },
    plugins: () => createPipeline(passThrough, access, logger),
  });
  return {
    runtime,
    async warmUp() {
      // The runtime calls the handler when its schema is first needed.
      await runtime.getSchema();
      for (const { name } of subgraphs) handler?.getSubgraphSchema(name);
    },
  };
}
