import { createLoaders, type Loaders, type PrimaryStores } from "./stores.ts";

/** What every resolver gets; made for each request. */
export interface PrimaryContext extends PrimaryStores {
  readonly load: Loaders;
}

/** Loaders are made when the first is used: a hot list needs none. */
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
