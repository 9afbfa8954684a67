import { Failure } from "../../../core/errors/errors.ts";
import { parseNodeIdParameter } from "./ids.ts";

/** Maximum number of node IDs in one list. */
const MAX_NODES = 200;

/**
 * Parses node IDs to sorted `0x` hex without duplicates. Throws `INVALID_PARAMETER` for an invalid ID, or more than 200. By default, white
 * space around an ID is ignored.
 */
export function parseNodeIds(name: string, list: readonly string[], { isTrimmed = true } = {}): string[] {
  const found = new Set(list.map((text) => parseNodeIdParameter(name, isTrimmed ? text.trim() : text)));
  if (found.size > MAX_NODES)
    throw new Failure("INVALID_PARAMETER", `${name} must be at most ${MAX_NODES} node IDs, got ${found.size}`);
  return [...found].sort();
}
