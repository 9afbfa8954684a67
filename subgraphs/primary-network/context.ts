import type { RequestContext } from "../shared/request-context.ts";
import type { Loaders } from "./loaders.ts";
import type { PrimaryStores } from "./stores.ts";

/** Context that every resolver gets: the stores, and the loaders of the request. */
export interface PrimaryContext extends PrimaryStores, RequestContext<Loaders> {}
