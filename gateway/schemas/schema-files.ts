import { hash } from "node:crypto";
import { parse } from "graphql";
import { type JoinGraph, joinGraphs } from "./join-graphs.ts";

/** A schema that is published, as a file. */
export interface SchemaFile {
  readonly name: string;
  readonly contentType: string;
  /** Written when it is first needed. */
  readonly text: () => string;
}

export interface SchemaSources {
  /** The SDL of the supergraph. */
  readonly supergraph: string;
  /** The SDL of the schemas of callers, by name. */
  readonly variants: Readonly<Record<string, () => string>>;
  /** The SDL of the whole graph as one subgraph. */
  readonly subgraph: () => string;
  /** Returns the SDL of a subgraph by its name; null if it is unknown. */
  readonly subgraphSdl: (name: string) => string | null;
  /** The JSON of the TypeScript types of Moraine's scalars. Null if the graph has no subgraph of Moraine. */
  readonly scalars: (() => string) | null;
}

const TEXT = "text/plain; charset=utf-8";

/** The files that are published of a graph. A subgraph with the name of another file is left out. */
export function schemaFiles(sources: SchemaSources): readonly SchemaFile[] {
  const { supergraph, variants, subgraph, subgraphSdl, scalars } = sources;
  const graphs = joinGraphs(parse(supergraph, { noLocation: true }));
  const subgraphs = graphs.map((one) => ({ ...one, sdl: subgraphSdl(one.name) }));
  const known = subgraphs.flatMap(({ name, sdl }) => (sdl === null ? [] : [[name, () => sdl] as const]));
  const sdls: readonly (readonly [name: string, text: () => string])[] = [
    ...Object.entries(variants),
    ["supergraph", () => supergraph],
    ["subgraph", subgraph],
    ...known,
  ];
  const files = new Map<string, SchemaFile>();
  const add = (name: string, contentType: string, text: () => string): void => {
    if (!files.has(name)) files.set(name, { name, contentType, text });
  };
  for (const [name, text] of sdls) add(`${name}.graphql`, TEXT, text);
  add("supergraph.yaml", "application/yaml; charset=utf-8", () => roverConfiguration(subgraphs));
  if (scalars) add("scalars.json", JSON_TYPE, scalars);
  return [...files.values()];
}

export const JSON_TYPE = "application/json; charset=utf-8";

/** The list of the files, as JSON. */
export function schemaIndex(files: readonly SchemaFile[]): string {
  const entries = files.map(({ name, contentType, text }) => {
    const content = text();
    return { name, contentType, bytes: Buffer.byteLength(content), sha256: hash("sha256", content, "hex") };
  });
  return `${JSON.stringify(entries, null, 2)}\n`;
}

/** The version of Federation, and of `@apollo/subgraph`, with which Rover composes. A range would make it warn. */
const FEDERATION_VERSION = "2.14.4";

/** The configuration of `rover supergraph compose`, with each SDL that is known. Strings of JSON are strings of YAML. */
function roverConfiguration(subgraphs: readonly (JoinGraph & { readonly sdl: string | null })[]): string {
  const entries = subgraphs.map(({ name, url, sdl }) => {
    const schema = sdl === null ? `subgraph_url: ${JSON.stringify(url)}` : `sdl: ${JSON.stringify(sdl)}`;
    return `  ${JSON.stringify(name)}:\n    routing_url: ${JSON.stringify(url)}\n    schema:\n      ${schema}\n`;
  });
  return `federation_version: =${FEDERATION_VERSION}\nsubgraphs:\n${entries.join("")}`;
}
