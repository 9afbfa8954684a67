import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The committed supergraph SDL. A test compares it with what the subgraphs compose to. */
export function committedSupergraph(): string {
  return readFileSync(fileURLToPath(new URL("supergraph.graphql", import.meta.url)), "utf8");
}
