import { type DocumentNode, parse } from "graphql";
import type { GraphSettings } from "../../core/config/settings/graph.ts";
import { messageOf } from "../../core/errors/errors.ts";
import type { Subgraph } from "../plan/subgraph.ts";
import { joinGraphs } from "../schemas/join-graphs.ts";

/**
 * How each subgraph of a supergraph is reached: Moraine's own ones as they are given, the others at the URL of the settings or of the
 * supergraph. Throws for one without a URL, and for a document that is no supergraph.
 */
export function subgraphsOf(
  supergraph: string,
  own: readonly Subgraph[],
  settings: GraphSettings["subgraphs"],
): Subgraph[] {
  const graphs = joinGraphs(documentOf(supergraph));
  if (graphs.length === 0) throw new Error("the document is no supergraph: it has no enum join__Graph");
  return graphs.map(({ name, url: composedUrl }) => {
    const known = own.find((subgraph) => subgraph.name === name);
    if (known) return known;
    const { url = composedUrl, headersToForward, timeoutMs, retries } = settings.find((one) => one.name === name) ?? {};
    if (!URL.canParse(url))
      throw new Error(`the supergraph has no URL of the subgraph ${name}: give it in the setting graph.subgraphs`);
    return { name, url, isExternal: true, headersToForward, timeoutMs, retries };
  });
}

function documentOf(supergraph: string): DocumentNode {
  try {
    return parse(supergraph, { noLocation: true });
  } catch (error) {
    throw new Error(`the document is no supergraph: ${messageOf(error)}`);
  }
}
