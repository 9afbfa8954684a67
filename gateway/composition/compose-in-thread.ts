import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { ComposedSubgraph } from "../compose.ts";

/** What the thread sends: the SDL, or why there is none. */
export type Composed = { readonly supergraph: string } | { readonly reason: string };

const SCRIPT = fileURLToPath(new URL("worker.ts", import.meta.url));

/** Composes the supergraph SDL in a thread of its own. Rejects with all reasons if the subgraphs do not compose. */
export async function composeInThread(subgraphs: readonly ComposedSubgraph[], signal: AbortSignal): Promise<string> {
  // Without the options of this process, such as modules that it loads first.
  const worker = new Worker(SCRIPT, { execArgv: [], workerData: subgraphs });
  try {
    const [composed] = (await once(worker, "message", { signal })) as [Composed];
    if ("reason" in composed) throw new Error(composed.reason);
    return composed.supergraph;
  } finally {
    await worker.terminate();
  }
}
