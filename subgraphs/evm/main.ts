import { runStandalone } from "../shared/standalone.ts";
import { createEvmSubgraph } from "./subgraph.ts";

await runStandalone("evm", async (deps, stack) => stack.use(await createEvmSubgraph(deps)));
