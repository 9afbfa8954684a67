import { startApiKeys } from "../../core/limits/access/stored-keys.ts";
import { runStandalone } from "../shared/server/standalone.ts";
import { createSubgraph } from "./subgraph.ts";

await runStandalone("operations", async (deps, stack) => {
  const { config, databaseUrl, logger } = deps;
  const apiKeys = stack.use(await startApiKeys(config, { databaseUrl, logger }));
  return createSubgraph({ ...deps, apiKeys });
});
