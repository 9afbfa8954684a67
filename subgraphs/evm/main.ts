import { runStandalone } from "../shared/server/standalone.ts";
import { createEvmSubgraph } from "./subgraph.ts";

await runStandalone("evm", async (deps, stack) => stack.use(await createEvmSubgraph(deps)));
