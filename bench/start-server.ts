import { type Child, startChild } from "./child.ts";
import type { ServerInput } from "./servers.ts";

const SERVERS = new URL("servers.ts", import.meta.url);

/** Starts a server in a process of its own. */
export function startServer(input: ServerInput): Promise<Child> {
  return startChild(SERVERS, input);
}

/** Starts the server of one of the bundles of `without-guards.mjs`, which `run.mjs` puts into folders beside this one. */
export function startGuardSide(name: "with-guards" | "without-guards", input: ServerInput): Promise<Child> {
  return startChild(new URL(`../${name}/bench/servers.mjs`, SERVERS), input);
}
