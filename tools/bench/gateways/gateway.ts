import { configSchema } from "../../../core/config/config-schema.ts";
import { SUBGRAPHS } from "../../../core/config/subgraphs.ts";
import { publicServer, startServer } from "../../../core/http/server.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { createGraph } from "../../../gateway/graph.ts";
import { committedSupergraph } from "../../../gateway/supergraph.ts";
import { parentInput, serveParent } from "../child.ts";

/** The value that the parent passes. */
export interface GatewayInput {
  /** URLs of subgraphs, by name. */
  readonly urls: Readonly<Record<string, string>>;
}

/** For the subgraphs that no request of the bench needs. Nothing listens there. */
const UNUSED_URL = "http://127.0.0.1:9/graphql";

const { urls } = parentInput() as GatewayInput;
const logger = createLogger("error");
// All requests come from one address.
const config = configSchema.parse({ port: 0, connectionsPerAddress: 0 });
const subgraphs = SUBGRAPHS.map(({ name }) => ({ name, url: urls[name] ?? UNUSED_URL }));
const graph = createGraph({ supergraph: committedSupergraph(), subgraphs, logger, config });
const { handle: handler, upgrade } = graph;
serveParent((await startServer({ ...publicServer(config), port: 0, handler, upgrade })).port);
