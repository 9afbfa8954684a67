import type { RequestContext } from "../shared/request-context.ts";
import type { Loaders } from "./loaders.ts";
import type { EvmStores } from "./stores.ts";

/** What every resolver gets. One context per request. */
export interface EvmContext extends EvmStores, RequestContext<Loaders> {}
