import { runStandalone } from "../shared/standalone.ts";
import { createPrimaryNetworkSubgraph } from "./subgraph.ts";

await runStandalone("primary-network", createPrimaryNetworkSubgraph);
