import { type Child, startChild } from "./child.ts";
import type { ServerInput } from "./servers.ts";

const SERVERS = new URL("servers.ts", import.meta.url);

/** Starts a server in a process of its own. */
export function startServer(input: ServerInput): Promise<Child> {
  return startChild(SERVERS, input);
}
