import { runStandalone } from "../shared/server/standalone.ts";
import { createNodeSubgraph } from "./subgraph.ts";

await runStandalone("node", async (deps, stack) => {
  const node = stack.use(await createNodeSubgraph(deps));
  node.startChecks();
  return node;
});
