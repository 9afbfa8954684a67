import { ONE_THREAD_GC } from "../../../core/processes/child-process.ts";
import { type Child, startChild } from "../child.ts";
import type { NodeInput } from "./node.ts";

const SCRIPT = new URL("node.ts", import.meta.url);
/**
 * V8 must not collect the garbage of the hundreds of MB of blocks while something else is measured: by default, it does so in several threads, about 30
 * seconds after the blocks were built. The node collects it before it listens.
 */
const OPTIONS = [ONE_THREAD_GC, "--expose-gc", "--no-memory-reducer"];

/** Starts a node with synthetic blocks in a process of its own. */
export function startNode(input: NodeInput): Promise<Child> {
  return startChild(SCRIPT, input, OPTIONS);
}
