import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type DocumentNode, parse } from "graphql";
import { SUBGRAPHS } from "../core/config/subgraphs.ts";
import { composeVariant, type VariantName } from "./schemas/variants.ts";

/** The committed supergraph SDL. A test compares it with what the subgraphs compose to. */
export function committedSupergraph(): string {
  return committed("supergraph.graphql");
}

/** A schema of callers. That of the committed supergraph is committed too. */
export function variantDocument(supergraph: string, name: VariantName): DocumentNode {
  if (supergraph !== committedSupergraph()) return composeVariant(supergraph, name);
  return parse(committed(`${name}.graphql`), { noLocation: true });
}

/** The committed SDL of a subgraph; null for the name of no subgraph. */
export function committedSubgraphSdl(name: string): string | null {
  return SUBGRAPHS.some((subgraph) => subgraph.name === name) ? committed(`../subgraphs/${name}/schema.graphql`) : null;
}

/** The JSON of the TypeScript types of all custom scalars, for code generators. */
export function scalarTypes(): string {
  return committed("../docs/scalars.json");
}

function committed(path: string): string {
  return readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8");
}
