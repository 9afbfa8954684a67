import { runAlone } from "../shared/alone.ts";
import { createEvmSubgraph } from "./subgraph.ts";

await runAlone("evm", async (deps, stack) => stack.use(await createEvmSubgraph(deps)));
