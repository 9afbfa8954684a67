import { runStandalone } from "../shared/server/standalone.ts";
import { createOperationsSubgraph } from "./subgraph.ts";

await runStandalone("operations", async (deps, stack) => stack.use(await createOperationsSubgraph(deps)));
