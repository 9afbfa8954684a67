import { composeServices } from "@theguild/federation-composition";
import { parse } from "graphql";

/** What composition needs of a subgraph; the URL stands in the supergraph for registries and other gateways. */
export interface ComposedSubgraph {
  readonly name: string;
  readonly url: string;
  readonly sdl: string;
}

/** The supergraph of the subgraphs. Throws with every reason when they do not compose. */
export function composeSupergraph(subgraphs: readonly ComposedSubgraph[]): string {
  const result = composeServices(subgraphs.map(({ name, url, sdl }) => ({ name, url, typeDefs: parse(sdl) })));
  if (result.supergraphSdl) return `${result.supergraphSdl.trim()}\n`;
  throw new Error(`the subgraphs do not compose: ${(result.errors ?? []).map((error) => error.message).join("; ")}`);
}
