import { runGateway } from "./run-gateway.ts";

/** Runs the gateway of Moraine's own subgraphs, which run in other processes. */
await runGateway(process.argv.slice(2), { needsOwn: true });
