import { createResolver, type LockedPackage, type LockFile } from "./lock-file.ts";

/**
 * The software bill of materials in the format CycloneDX 1.6: all packages that Moraine needs to run, with their hashes, licences
 * and dependencies. It has no time and no serial number, so that the same lock file gives the same text.
 */
export function softwareBillOfMaterials(lockFile: LockFile): string {
  const delivered = lockFile.packages.filter(({ isDevelopment }) => !isDevelopment);
  const resolve = createResolver(delivered);
  const reference = packageUrl(lockFile.name, lockFile.version);
  const component = { type: "application", "bom-ref": reference, name: lockFile.name, version: lockFile.version };
  const dependencies = new Map([[reference, resolve("", lockFile.dependencies).map(urlOf)]]);
  for (const one of delivered) {
    const known = dependencies.get(urlOf(one)) ?? [];
    dependencies.set(urlOf(one), [...known, ...resolve(one.path, one.dependencies).map(urlOf)]);
  }
  const byUrl = new Map(delivered.map((one) => [urlOf(one), one]));
  const components = [...byUrl.values()].map(componentOf).sort(byText((one) => one["bom-ref"]));
  const graph = [...dependencies].map(([ref, dependsOn]) => ({ ref, dependsOn: [...new Set(dependsOn)].sort() }));
  return [
    '{"bomFormat":"CycloneDX","specVersion":"1.6","version":1,',
    `"metadata":${JSON.stringify({ component })},`,
    `"components":[\n${lines(components)}],`,
    `"dependencies":[\n${lines(graph.sort(byText(({ ref }) => ref)))}]}`,
    "",
  ].join("\n");
}

/** One entry a line, so that a change of one package changes few lines. */
function lines(entries: readonly object[]): string {
  return entries.map((entry) => JSON.stringify(entry)).join(",\n");
}

const byText =
  <Entry>(textOf: (entry: Entry) => string) =>
  (a: Entry, b: Entry): number =>
    textOf(a) < textOf(b) ? -1 : 1;

const urlOf = ({ name, version }: LockedPackage): string => packageUrl(name, version);

/** A package URL (https://github.com/package-url/purl-spec). */
function packageUrl(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

function componentOf(locked: LockedPackage) {
  const { name, version, licence, sha512, isOptional } = locked;
  return {
    type: "library",
    "bom-ref": urlOf(locked),
    name,
    version,
    scope: isOptional ? "optional" : "required",
    hashes: [{ alg: "SHA-512", content: Buffer.from(sha512, "base64").toString("hex") }],
    licenses: licence === null ? [] : [licenceOf(licence)],
    purl: urlOf(locked),
  };
}

/** An expression of several licences is stated as such if it is valid SPDX. */
function licenceOf(licence: string): object {
  if (!licence.includes(" ")) return { license: { id: licence } };
  return / and | or /.test(licence) ? { license: { name: licence } } : { expression: licence };
}
