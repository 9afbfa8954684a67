import type { GraphQLSchema } from "graphql";
import type { Config } from "../../core/config/config-schema.ts";
import { type Databases, loadSecret } from "../../core/database/database.ts";
import type { CompileText } from "../../core/graph/answer-text.ts";
import type { RequestInfo } from "../../core/graph/graph-client.ts";
import { createPageTokens } from "../../core/graph/page.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { createContexts } from "../shared/request-context.ts";
import type { PrimaryContext } from "./context.ts";
import { createLoaders } from "./loaders.ts";
import { createNetworks } from "./networks/store.ts";
import { compileText, schema } from "./schema.ts";
import { createStores } from "./stores.ts";

/** The primary-network subgraph. It runs in the gateway's process or behind a server of its own. Disposing ends its subscriptions. */
export interface PrimaryNetworkSubgraph extends AsyncDisposable {
  readonly name: "primary-network";
  readonly schema: GraphQLSchema;
  /** Creates the context of a request. */
  context(request: RequestInfo): PrimaryContext;
  readonly compileText: CompileText;
}

export interface PrimaryNetworkSubgraphDeps {
  readonly config: Pick<Config, "primaryNetworks" | "evmChains" | "prices">;
  readonly database: Databases;
  readonly logger: Logger;
  /** Clock for page tokens, locks and statuses, in seconds. Default: the system clock. */
  readonly nowSeconds?: () => number;
}

/** Reads the secret for page tokens. The rows of the networks are read with the first request. */
export async function createSubgraph(deps: PrimaryNetworkSubgraphDeps): Promise<PrimaryNetworkSubgraph> {
  const { config, database, logger, nowSeconds = () => Math.floor(Date.now() / 1000) } = deps;
  const pageTokens = createPageTokens(await loadSecret(database.pool, "page-tokens"), nowSeconds);
  const networks = createNetworks(database.primary, config);
  const stores = createStores({ config, database, logger, nowSeconds, pageTokens, networks });
  return {
    name: "primary-network",
    schema,
    context: createContexts(stores, createLoaders(stores)),
    compileText,
    [Symbol.asyncDispose]: () => stores.blockSubscriptions[Symbol.asyncDispose](),
  };
}
