import { runAlone } from "../shared/alone.ts";
import { createPrimaryNetworkSubgraph } from "./subgraph.ts";

await runAlone("primary-network", createPrimaryNetworkSubgraph);
