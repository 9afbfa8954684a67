import type { RequestContext } from "../shared/request-context.ts";
import type { Loaders } from "./loaders.ts";
import type { MetricsStores } from "./stores.ts";

/** Context that every resolver gets. Each request has its own context. */
export interface MetricsContext extends MetricsStores, RequestContext<Loaders> {}
