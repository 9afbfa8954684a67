import type { GraphQLSchema } from "graphql";
import { loadSecret } from "../../core/database/database.ts";
import type { CompileText } from "../../core/graph/answer-text.ts";
import type { RequestInfo } from "../../core/graph/graph-client.ts";
import { createPageTokens } from "../../core/graph/page.ts";
import { createContexts } from "../shared/request-context.ts";
import type { MetricsContext } from "./context.ts";
import { createLoaders } from "./loaders.ts";
import { createUuidTokens } from "./page-tokens/uuid-tokens.ts";
import { compileText, schema } from "./schema.ts";
import { createStores, type StoreDeps } from "./stores.ts";

/** The metrics subgraph, for a gateway in the same process or a server of its own. Disposing it closes connections to nodes. */
export interface MetricsSubgraph extends AsyncDisposable {
  readonly name: "metrics";
  readonly schema: GraphQLSchema;
  readonly compileText: CompileText;
  /** Creates the context of one request. */
  context(request: RequestInfo): MetricsContext;
}

export interface MetricsSubgraphDeps extends Omit<StoreDeps, "nowSeconds" | "cursors" | "uuidTokens"> {
  /** Clock of page tokens and prices. Default: the system clock. */
  readonly nowSeconds?: () => number;
}

/** Reads the secret for cursors and page tokens. */
export async function createSubgraph(deps: MetricsSubgraphDeps): Promise<MetricsSubgraph> {
  const { nowSeconds = () => Math.floor(Date.now() / 1000) } = deps;
  const secret = await loadSecret(deps.database.pool, "page-tokens");
  const cursors = createPageTokens(secret, nowSeconds);
  const uuidTokens = createUuidTokens(secret, nowSeconds);
  const stores = createStores({ ...deps, nowSeconds, cursors, uuidTokens });
  return {
    name: "metrics",
    schema,
    compileText,
    context: createContexts(stores, createLoaders(stores)),
    [Symbol.asyncDispose]: () => stores.contractNode[Symbol.asyncDispose](),
  };
}
