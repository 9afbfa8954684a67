import { type DocumentNode, Kind } from "graphql";
import { argumentsOf } from "./directives.ts";

/** A subgraph as the supergraph names it. */
export interface JoinGraph {
  readonly name: string;
  /** Empty if the supergraph does not say it. */
  readonly url: string;
  /** The value of `join__Graph`. */
  readonly value: string;
}

/** The subgraphs of a supergraph. Empty for another document. */
export function joinGraphs({ definitions }: DocumentNode): readonly JoinGraph[] {
  return definitions.flatMap((node) => {
    if (node.kind !== Kind.ENUM_TYPE_DEFINITION || node.name.value !== "join__Graph") return [];
    return (node.values ?? []).map((value) => {
      const [{ name = "", url = "" } = {}] = argumentsOf(value, "join__graph");
      return { name: String(name), url: String(url), value: value.name.value };
    });
  });
}
