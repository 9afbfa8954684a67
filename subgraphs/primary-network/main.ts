import { runStandalone } from "../shared/server/standalone.ts";
import { createSubgraph } from "./subgraph.ts";

await runStandalone("primary-network", createSubgraph);
