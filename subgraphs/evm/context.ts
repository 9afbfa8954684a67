import type { Loaders } from "./loaders.ts";
import type { EvmStores } from "./stores.ts";

/** Context that every resolver gets. Each request has its own context. */
export interface EvmContext extends EvmStores {
  /** The request's loaders, which cache what they load. */
  readonly load: Loaders;
  /** Empties the caches of the loaders. A subscription does so before each event, as all its events share one context. */
  resetLoaders(): void;
}
