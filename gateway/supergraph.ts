import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The committed supergraph, which CI holds equal to the subgraphs' code. */
export function committedSupergraph(): string {
  return readFileSync(fileURLToPath(new URL("supergraph.graphql", import.meta.url)), "utf8");
}
