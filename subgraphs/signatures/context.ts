import type { RequestContext } from "../shared/request-context.ts";
import type { Aggregations } from "./aggregations/aggregations.ts";
import type { Loaders } from "./loaders.ts";

/** What every resolver gets. One context per request. */
export interface SignaturesContext extends RequestContext<Loaders> {
  readonly aggregations: Aggregations;
}
