import { type Child, startChild } from "./child.ts";
import type { ServerInput } from "./servers.ts";

const SERVERS = new URL("servers.ts", import.meta.url);
/** `run.mjs` puts the bundle without guards into a folder beside this one. */
const WITHOUT_GUARDS = new URL("../without-guards/bench/servers.mjs", SERVERS);

/** Starts a server in a process of its own. */
export function startServer(input: ServerInput): Promise<Child> {
  return startChild(SERVERS, input);
}

/** Starts the server without guards of `without-guards.mjs` in a process of its own. */
export function startServerWithoutGuards(input: ServerInput): Promise<Child> {
  return startChild(WITHOUT_GUARDS, input);
}
