import { ConfigError } from "../../core/config/config.ts";
import { runStandalone } from "../shared/server/standalone.ts";
import { createSubgraph } from "./subgraph.ts";

await runStandalone("signatures", ({ config }) => {
  const { serviceUrl } = config.signatures;
  if (!serviceUrl)
    throw new ConfigError(
      "setting signatures.serviceUrl is missing: a signatures subgraph in a process of its own needs the URL of the signature service",
    );
  return createSubgraph({ serviceUrl: () => serviceUrl });
});
