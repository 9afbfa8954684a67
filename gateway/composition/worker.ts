import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../../core/errors/errors.ts";
import { type ComposedSubgraph, composeSupergraph } from "../compose.ts";
import type { Composed } from "./compose-in-thread.ts";

// To compose Moraine's own subgraphs with others takes about a second, in which a thread can do nothing else.
parentPort?.postMessage(composed(workerData as readonly ComposedSubgraph[]));

function composed(subgraphs: readonly ComposedSubgraph[]): Composed {
  try {
    return { supergraph: composeSupergraph(subgraphs) };
  } catch (error) {
    return { reason: messageOf(error) };
  }
}
