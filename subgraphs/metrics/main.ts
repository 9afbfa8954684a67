import { runStandalone } from "../shared/server/standalone.ts";
import { createMetricsSubgraph } from "./subgraph.ts";

await runStandalone("metrics", async (deps, stack) => stack.use(createMetricsSubgraph(deps)));
