import type { Work } from "../../core/work/work.ts";
import type { Caller } from "./caller.ts";
import type { Loaders } from "./loaders.ts";
import type { OperationsStores } from "./stores.ts";

/** What every resolver gets. One context per request. */
export interface OperationsContext extends OperationsStores {
  /** What the request's statements are sent for. */
  readonly work: Work;
  readonly caller: Caller;
  /** The request's loaders, which cache what they load. */
  readonly load: Loaders;
}
