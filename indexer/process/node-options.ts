import { ONE_THREAD_GC } from "../../core/processes/child-process.ts";
import { CORES_PER_PROCESS } from "./process-count.ts";

/** A young generation of at most 24 MB (by default 48 MB) saves about 20 MB of memory after the chains have caught up. */
const YOUNG_GENERATION = "--max-semi-space-size=8";
/** Lets the process collect garbage when its chains have caught up. */
const EXPOSE_GC = "--expose-gc";
/** Cores that the threads which collect garbage need so that they delay neither the API nor PostgreSQL. */
const CORES_OF_GC_THREADS = 2;

/**
 * The options of Node.js for a process of the indexer. `cores` are those of the machine, and `processes` is the number of processes of the indexer on it.
 * With threads that collect garbage, the main thread is up to 20 % faster, but the process takes more processor time in all, and requests would wait for
 * the cores that the threads use. So only machines with free cores have them.
 */
export function nodeOptions(cores: number, processes: number): string[] {
  const freeCores = cores - processes * CORES_PER_PROCESS;
  return [YOUNG_GENERATION, EXPOSE_GC, ...(freeCores < CORES_OF_GC_THREADS ? [ONE_THREAD_GC] : [])];
}
