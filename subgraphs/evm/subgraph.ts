import type { GraphQLSchema } from "graphql";
import { loadSecret } from "../../core/database/database.ts";
import type { CompileText } from "../../core/graph/answer-text.ts";
import type { RequestInfo } from "../../core/graph/graph-client.ts";
import { createPageTokens } from "../../core/graph/page.ts";
import { createContexts } from "../shared/request-context.ts";
import type { EvmContext } from "./context.ts";
import { createLoaders } from "./loaders.ts";
import { compileText, schema } from "./schema.ts";
import { closeStores, createStores, type StoreDeps } from "./stores.ts";

/** The evm subgraph, for a gateway in the same process or a server of its own. Disposing closes subscriptions and connections. */
export interface EvmSubgraph extends AsyncDisposable {
  readonly name: "evm";
  readonly schema: GraphQLSchema;
  /** Creates the context of one request. */
  context(request: RequestInfo): EvmContext;
  readonly compileText: CompileText;
}

export interface EvmSubgraphDeps extends Omit<StoreDeps, "pageTokens" | "nowSeconds"> {
  /** Clock for page tokens and prices. Default: the system clock. */
  readonly nowSeconds?: () => number;
}

/**
 * Reads the secret for page tokens and the file of method signatures (setting `methodSignatures`). The first subscription opens
 * the connection for notifications of new blocks.
 */
export async function createSubgraph(deps: EvmSubgraphDeps): Promise<EvmSubgraph> {
  const { nowSeconds = () => Math.floor(Date.now() / 1000) } = deps;
  const pageTokens = createPageTokens(await loadSecret(deps.database.pool, "page-tokens"), nowSeconds);
  const stores = createStores({ ...deps, nowSeconds, pageTokens });
  return {
    name: "evm",
    schema,
    context: createContexts(stores, createLoaders(stores)),
    compileText,
    [Symbol.asyncDispose]: () => closeStores(stores),
  };
}
