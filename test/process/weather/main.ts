import { runStandalone } from "../../../subgraphs/shared/server/standalone.ts";
import { createSubgraph } from "./subgraph.ts";

await runStandalone("weather", createSubgraph);
