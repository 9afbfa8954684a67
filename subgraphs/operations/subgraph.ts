import type { GraphQLSchema } from "graphql";
import type { Config } from "../../core/config/config-schema.ts";
import { type Databases, loadSecret } from "../../core/database/database.ts";
import { createFileLinks } from "../../core/exports/files/file-links.ts";
import type { CompileText } from "../../core/graph/answer-text.ts";
import type { RequestInfo } from "../../core/graph/graph-client.ts";
import { createPageTokens } from "../../core/graph/page.ts";
import { serverUrl as urlOf } from "../../core/http/server-url.ts";
import type { ApiKeys } from "../../core/limits/access/api-keys.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { readFromPrimary } from "../../core/work/server-choice.ts";
import { createCaller } from "./caller.ts";
import type { OperationsContext } from "./context.ts";
import { linkWarning } from "./link-warning.ts";
import { createLoaders } from "./loaders.ts";
import { compileText, schema } from "./schema.ts";
import { createStores } from "./stores.ts";

/** The operations subgraph, for a gateway in the same process or a server of its own. Disposing it ends its subscriptions. */
export interface OperationsSubgraph extends AsyncDisposable {
  readonly name: "operations";
  readonly schema: GraphQLSchema;
  readonly compileText: CompileText;
  /** Creates the context of one request. */
  context(request: RequestInfo): OperationsContext;
}

export interface OperationsSubgraphDeps {
  readonly config: Pick<Config, "evmChains" | "primaryNetworks" | "exports" | "apiKeys" | "host" | "port">;
  readonly database: Databases;
  readonly logger: Logger;
  /** Default: the API keys of the settings. */
  readonly apiKeys?: Pick<ApiKeys, "isEmpty"> | undefined;
  /**
   * Base URL of links to local files if the setting `exports.publicUrl` is not set: that of the process that serves them.
   * Default: `http://<host>:<port>` of the settings.
   */
  readonly serverUrl?: () => string;
  /** Clock for times of operations, page tokens and links. Default: the system clock. */
  readonly nowSeconds?: () => number;
}

/** Reads the secrets for page tokens and links. The connection for notifications is opened by the first subscription. */
export async function createSubgraph(deps: OperationsSubgraphDeps): Promise<OperationsSubgraph> {
  const { config, database, logger, nowSeconds = () => Math.floor(Date.now() / 1000) } = deps;
  const { serverUrl = () => urlOf(config.host, config.port) } = deps;
  const warning = linkWarning(config);
  if (warning) logger.warn(warning);
  const pageTokens = createPageTokens(await loadSecret(database.pool, "page-tokens"), nowSeconds);
  const links = await createFileLinks({ settings: config.exports, pool: database.pool, serverUrl, nowSeconds });
  const stores = createStores({ config, database, logger, nowSeconds, pageTokens, links });
  const { apiKeys = { isEmpty: () => config.apiKeys.length === 0 } } = deps;
  return {
    name: "operations",
    schema,
    compileText,
    context({ caller: owner = "", work }) {
      // An operation is found as soon as it was started, and with its last state.
      readFromPrimary(work);
      return {
        ...stores,
        work,
        caller: createCaller(owner, !apiKeys.isEmpty()),
        load: createLoaders(stores, owner, work),
      };
    },
    [Symbol.asyncDispose]: () => stores.watching[Symbol.asyncDispose](),
  };
}
