import { buildSchema, type GraphQLSchema } from "graphql";
import { changesBetween, linesOf, type SchemaChange, type SchemaChanges } from "./changes.ts";
import { mayBreak, type ReleasedSchemas } from "./releases.ts";

/** What has changed since a release. */
export interface ReleaseChanges {
  readonly since: string;
  /** Of the schema that callers see. */
  readonly callers: SchemaChanges;
  /** Of the SDL of subgraphs, by name: what `callers` does not have. Only subgraphs with breaking or dangerous changes. */
  readonly subgraphs: ReadonlyMap<string, SchemaChanges>;
}

/** An SDL that is known to be valid, with directives that it does not define, such as `@key`. */
export const schemaOf = (sdl: string): GraphQLSchema => buildSchema(sdl, { assumeValid: true, assumeValidSDL: true });

/** Compares the present schemas with those of a release. */
export async function changesSince(
  release: ReleasedSchemas,
  publicSdl: string,
  subgraphs: readonly { readonly name: string; readonly sdl: string }[],
): Promise<ReleaseChanges> {
  const callers = await changesBetween(schemaOf(release.publicSdl), schemaOf(publicSdl));
  const known = new Set([...callers.breaking, ...callers.dangerous].map(({ message }) => message));
  const isOther = ({ message }: SchemaChange) => !known.has(message);
  const sdls = new Map(subgraphs.map(({ name, sdl }) => [name, sdl]));
  const found = new Map<string, SchemaChanges>();
  for (const [name, before] of release.subgraphSdls) {
    const changes = await changesBetween(schemaOf(before), schemaOf(sdls.get(name) ?? "type Query"));
    const breaking = changes.breaking.filter(isOther);
    const dangerous = changes.dangerous.filter(isOther);
    if (breaking.length + dangerous.length > 0) found.set(name, { ...changes, breaking, dangerous });
  }
  return { since: release.version, callers, subgraphs: found };
}

const BEGIN = "<!-- Changes of the schema: written by `npm run generate`. -->";
const END = "<!-- End of the changes of the schema. -->";
/** The first section of a version, with its heading. */
const SECTION = /^## .*\n[\s\S]*?(?=^## |$(?![\s\S]))/m;

/** The changelog with the list of changes between the marks of its first version. */
export function changelogWith(changelog: string, changes: ReleaseChanges): string {
  const begin = changelog.indexOf(BEGIN);
  const end = changelog.indexOf(END);
  const section = SECTION.exec(changelog);
  if (begin < 0 || end < begin || !section || end > section.index + section[0].length)
    throw new Error(`the first version of CHANGELOG.md must have the lines "${BEGIN}" and "${END}"`);
  return [changelog.slice(0, begin + BEGIN.length), "", ...changelogLines(changes), "", changelog.slice(end)].join(
    "\n",
  );
}

function changelogLines({ since, callers, subgraphs }: ReleaseChanges): string[] {
  return [
    `The schema that callers see, since ${since}: ${linesOf(callers).join("\n")}`,
    ...[...subgraphs].flatMap(([name, changes]) => [
      "",
      `The SDL of the subgraph ${name}, besides these: ${linesOf(changes).join("\n")}`,
    ]),
  ];
}

/**
 * Why a release with these changes must not be made: one line for each reason. Breaking changes need a version that may have them (while the version is
 * still that of the last release, it can be one), and the text of the changelog must name what breaks.
 */
export function refusals({ since, callers, subgraphs }: ReleaseChanges, version: string, changelog: string): string[] {
  const breaking = [...callers.breaking, ...[...subgraphs.values()].flatMap((one) => one.breaking)];
  const section = SECTION.exec(changelog)?.[0] ?? "";
  const written = section.slice(0, section.indexOf(BEGIN)) + section.slice(section.indexOf(END));
  const unnamed = [...new Set(breaking.map(nameOf))].filter((name) => !isNamed(name, written));
  return [
    ...(breaking.length > 0 && version !== since && !mayBreak(since, version)
      ? [`version ${version} must have no breaking changes since ${since}`]
      : []),
    ...unnamed.map(
      (name) => `the breaking change of \`${name}\` is not described in the first section of CHANGELOG.md`,
    ),
  ];
}

/** True if a text has a name in backquotes, which arguments may follow: `` `Query.block(id:)` ``. */
function isNamed(name: string, text: string): boolean {
  return new RegExp(`\`${name.replace(".", "\\.")}(?![\\w.])`).test(text);
}

/** A type, or a type and a field. */
const nameOf = ({ path }: SchemaChange): string => path.split(".").slice(0, 2).join(".");
