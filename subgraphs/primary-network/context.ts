import { createLoaders, type Loaders } from "./loaders.ts";
import type { PrimaryStores } from "./stores.ts";

/** Context that every resolver gets: the stores, and the loaders of the request. */
export interface PrimaryContext extends PrimaryStores {
  readonly load: Loaders;
}

/** The context of one request. Loaders are created on first use: the simple lists need none. */
export function createContext(stores: PrimaryStores): PrimaryContext {
  let loaders: Loaders | undefined;
  return {
    ...stores,
    get load() {
      loaders ??= createLoaders(stores);
      return loaders;
    },
  };
}
