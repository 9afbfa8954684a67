import type { Config } from "../core/config/config-schema.ts";
import { SUBGRAPHS } from "../core/config/subgraphs.ts";
import type { Databases } from "../core/database/database.ts";
import type { ApiKeys } from "../core/limits/access/api-keys.ts";
import type { Logger } from "../core/observability/logger.ts";
import type { ServiceUrl } from "../signatures/protocol/client.ts";
import type { Probe } from "./node/health/checks/router.ts";
import type { ServedSubgraph } from "./shared/server/server.ts";

/** What every subgraph is created with. A subgraph declares what it needs of this. */
export interface SubgraphDeps {
  readonly config: Config;
  readonly database: Databases;
  readonly logger: Logger;
  /** Default: the API keys of the settings. */
  readonly apiKeys?: ApiKeys;
  /** Base URL of the process that serves exported files. Default: `http://<host>:<port>` of the settings. */
  readonly serverUrl?: () => string;
  readonly serviceUrl: ServiceUrl;
  /** Probes of the other parts of the service, by name. Default: the parts whose URLs are configured. */
  readonly probes?: Readonly<Record<string, Probe>>;
  /** The supergraph of the gateway, for the report of health; null if it is Moraine's own. Default: it is not reported. */
  readonly supergraph?: () => object | null;
  /** Clock of page tokens, prices and times. Default: the system clock. */
  readonly nowSeconds?: () => number;
}

/** A subgraph, for a gateway in the same process or a server of its own. Disposing it ends its subscriptions and connections. */
export interface RunningSubgraph extends ServedSubgraph, Partial<AsyncDisposable> {
  readonly name: string;
  /** Starts periodic work. Call it when the other parts of the service are running. */
  start?(): void;
  /** Sends a last report to subscribers whose subscriptions are about to end. */
  announceShutdown?(): Promise<void>;
}

/** What `subgraphs/<name>/subgraph.ts` exports. */
interface SubgraphModule {
  createSubgraph(deps: SubgraphDeps): RunningSubgraph | Promise<RunningSubgraph>;
}

/** What `subgraphs/<name>/schema.ts` exports. */
interface SchemaModule extends Pick<RunningSubgraph, "schema"> {
  readonly sdl: string;
}

/** Loads the modules of all subgraphs, in the order of the table. They are loaded once in a process. */
export function loadSubgraphs(): Promise<readonly SubgraphModule[]> {
  return Promise.all(SUBGRAPHS.map(({ name }) => import(`./${name}/subgraph.ts`) as Promise<SubgraphModule>));
}

/** Loads the schemas of all subgraphs, in the order of the table. */
export function loadSchemas(): Promise<readonly ((typeof SUBGRAPHS)[number] & SchemaModule)[]> {
  return Promise.all(
    SUBGRAPHS.map(async (entry) => {
      const { schema, sdl } = (await import(`./${entry.name}/schema.ts`)) as SchemaModule;
      return { ...entry, schema, sdl };
    }),
  );
}

/** Creates all subgraphs in this process, in the order of the table. Each is passed to `use` when it exists. */
export async function createSubgraphs(
  deps: SubgraphDeps,
  use: (subgraph: AsyncDisposable) => void,
): Promise<readonly RunningSubgraph[]> {
  const subgraphs: RunningSubgraph[] = [];
  for (const { createSubgraph } of await loadSubgraphs()) {
    const subgraph = await createSubgraph(deps);
    use({ [Symbol.asyncDispose]: async () => subgraph[Symbol.asyncDispose]?.() });
    subgraphs.push(subgraph);
  }
  return subgraphs;
}
