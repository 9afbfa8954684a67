import { runStandalone } from "../shared/server/standalone.ts";
import { createPrimaryNetworkSubgraph } from "./subgraph.ts";

await runStandalone("primary-network", createPrimaryNetworkSubgraph);
