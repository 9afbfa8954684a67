import { composeServices } from "@theguild/federation-composition";
import { parse } from "graphql";

/** A subgraph of the supergraph. Only registries and other gateways use its `url`. */
export interface ComposedSubgraph {
  readonly name: string;
  readonly url: string;
  readonly sdl: string;
}

/** Composes the supergraph SDL. Throws an error with all reasons if the subgraphs do not compose. */
export function composeSupergraph(subgraphs: readonly ComposedSubgraph[]): string {
  const result = composeServices(subgraphs.map(({ name, url, sdl }) => ({ name, url, typeDefs: parse(sdl) })));
  if (result.supergraphSdl) return `${result.supergraphSdl.trim()}\n`;
  throw new Error(`the subgraphs do not compose: ${(result.errors ?? []).map((error) => error.message).join("; ")}`);
}
