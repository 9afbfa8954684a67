import { type Child, startChild } from "./child.ts";
import type { ServerInput } from "./servers.ts";

const SERVERS = new URL("servers.ts", import.meta.url);

/** Starts a server in a process of its own, with further options of Node.js. */
export function startServer(input: ServerInput, nodeOptions: readonly string[] = []): Promise<Child> {
  return startChild(SERVERS, input, nodeOptions);
}
