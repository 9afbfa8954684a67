import { runAlone } from "../shared/alone.ts";
import { createNodeSubgraph } from "./subgraph.ts";

await runAlone("node", async (deps, stack) => {
  const node = stack.use(await createNodeSubgraph(deps));
  node.startChecks();
  return node;
});
