import { ConfigError } from "../../core/config/config.ts";
import type { GraphSettings } from "../../core/config/settings/graph.ts";
import type { Subgraph } from "../plan/subgraph.ts";
import { createCompositionSource } from "./composition.ts";
import { createFileSource } from "./file.ts";
import { createHiveSource, createHttpSource } from "./http.ts";
import type { SupergraphSource } from "./source.ts";
import { createUplinkSource } from "./uplink.ts";

/**
 * The source that the settings name. Null if they name none: the graph is Moraine's own. Throws `ConfigError` if a subgraph that is to be
 * composed has no URL, or the name of one of Moraine's own.
 */
export function createSource(
  { supergraph, subgraphs }: GraphSettings,
  own: readonly Subgraph[],
): SupergraphSource | null {
  if (supergraph === undefined) {
    if (subgraphs.length === 0) return null;
    for (const { name, url } of subgraphs) {
      if (url === undefined) throw new ConfigError(`setting graph.subgraphs: the subgraph ${name} has no url`);
      if (own.some((subgraph) => subgraph.name === name))
        throw new ConfigError(`setting graph.subgraphs: ${name} is the name of a subgraph of Moraine`);
    }
    return createCompositionSource(own, subgraphs);
  }
  if (typeof supergraph !== "string")
    return "hive" in supergraph ? createHiveSource(supergraph.hive) : createUplinkSource(supergraph.uplink);
  if (/^https?:\/\//.test(supergraph)) return createHttpSource("the URL of graph.supergraph", supergraph);
  return createFileSource(supergraph);
}
