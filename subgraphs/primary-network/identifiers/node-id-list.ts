import { Failure } from "../../../core/errors.ts";
import { parseNodeIdParameter } from "./ids.ts";

/** Most node ids of a list. */
const MOST_NODES = 200;

/**
 * Reads a comma-separated list of node ids to `0x` hex, each once, in an order that does not depend on how it was written.
 * Throws `INVALID_PARAMETER` that names the bad one.
 */
export function parseNodeIds(name: string, list: string): string[] {
  const found = new Set(list.split(",").map((text) => parseNodeIdParameter(name, text.trim())));
  if (found.size > MOST_NODES)
    throw new Failure("INVALID_PARAMETER", `${name} must be at most ${MOST_NODES} node ids, got ${found.size}`);
  return [...found].sort();
}
