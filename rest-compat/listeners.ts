import { createRest, type RestOptions } from "./app.ts";
import type { RestHandler } from "./handler.ts";
import type { Base } from "./routes.ts";

/** A port and what answers there. */
export interface RestListener {
  readonly port: number;
  readonly handler: RestHandler;
}

/** One listener for all paths, or, where `metricsPort` is set, one for the data paths and then one for the metrics paths. */
export function createListeners(
  options: Omit<RestOptions, "bases">,
  { port, metricsPort }: { readonly port: number; readonly metricsPort?: number | undefined },
): [RestListener, ...RestListener[]] {
  const on = (at: number, bases: readonly Base[]) => ({ port: at, handler: createRest({ ...options, bases }) });
  if (metricsPort === undefined) return [on(port, ["data", "metrics"])];
  return [on(port, ["data"]), on(metricsPort, ["metrics"])];
}
