import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type GraphQLSchema, parse, print, printSchema, visit } from "graphql";

/** The schemas of a release, as the repository carries them: without descriptions. */
export interface ReleasedSchemas {
  /** Such as `0.2.0`. */
  readonly version: string;
  /** The SDL of the schema that callers see. */
  readonly publicSdl: string;
  /** The SDL of each subgraph, by name. */
  readonly subgraphSdls: ReadonlyMap<string, string>;
}

const PUBLIC = "schema.graphql";
const SUBGRAPH = /^subgraph-(.+)\.graphql$/;
const FOLDER = fileURLToPath(new URL("../../gateway/releases/", import.meta.url));

/** The schemas of the last release. */
export function lastRelease(): ReleasedSchemas {
  const version = readdirSync(FOLDER).toSorted(compareVersions).at(-1) ?? "";
  const folder = `${FOLDER}${version}/`;
  const read = (file: string) => readFileSync(folder + file, "utf8");
  const subgraphs = readdirSync(folder).flatMap((file) => {
    const name = SUBGRAPH.exec(file)?.[1];
    return name === undefined ? [] : [[name, read(file)] as const];
  });
  return { version, publicSdl: read(PUBLIC), subgraphSdls: new Map(subgraphs) };
}

/** The files of a release, by path. */
export function releaseFiles(
  version: string,
  schema: GraphQLSchema,
  subgraphs: readonly { readonly name: string; readonly sdl: string }[],
): Readonly<Record<string, string>> {
  const folder = `gateway/releases/${version}`;
  return {
    [`${folder}/${PUBLIC}`]: withoutDescriptions(printSchema(schema)),
    ...Object.fromEntries(
      subgraphs.map(({ name, sdl }) => [`${folder}/subgraph-${name}.graphql`, withoutDescriptions(sdl)]),
    ),
  };
}

function withoutDescriptions(sdl: string): string {
  const document = visit(parse(sdl, { noLocation: true }), {
    enter: (node) => ("description" in node && node.description ? { ...node, description: undefined } : undefined),
  });
  return `${print(document)}\n`;
}

const partsOf = (version: string): number[] => (version.match(/\d+/g) ?? []).slice(0, 3).map(Number);

function compareVersions(one: string, other: string): number {
  const others = partsOf(other);
  return (
    partsOf(one)
      .map((part, at) => part - (others[at] ?? 0))
      .find((difference) => difference !== 0) ?? 0
  );
}

/** True if a version may have breaking changes since an earlier one: a major version, or before 1.0.0 a minor one. */
export function mayBreak(before: string, after: string): boolean {
  const [major = 0, minor = 0] = partsOf(before);
  const [nextMajor = 0, nextMinor = 0] = partsOf(after);
  return nextMajor > major || (major === 0 && nextMajor === 0 && nextMinor > minor);
}
