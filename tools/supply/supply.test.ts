import { EXCEPTIONS, isPermissive, licencesPage } from "./licences.ts";
import { createResolver, parseLockFile } from "./lock-file.ts";
import { softwareBillOfMaterials } from "./sbom.ts";

const integrity = `sha512-${Buffer.alloc(64, 1).toString("base64")}`;

const LOCK = {
  packages: {
    "": { name: "moraine", version: "1.0.0", dependencies: { a: "1.0.0" } },
    "node_modules/a": { version: "1.0.0", license: "MIT", integrity, dependencies: { "@s/b": "^1.0.0", c: "*" } },
    "node_modules/a/node_modules/@s/b": { version: "1.2.0", license: "ISC", integrity, dependencies: { d: "1" } },
    "node_modules/@s/b": { version: "2.0.0", license: "GPL-3.0-only", integrity, dev: true },
    "node_modules/d": { name: "other", version: "1.0.0", license: "(MIT AND BSD-3-Clause)", integrity, optional: true },
  },
};
const lockFile = parseLockFile(JSON.stringify(LOCK));

describe("the licences", () => {
  it.each([
    ["MIT", true],
    ["(MIT OR CC0-1.0)", true],
    ["MIT OR GPL-3.0-only", true],
    ["MIT and ISC", true],
    ["(MIT AND GPL-3.0-only)", false],
    ["Elastic-2.0", false],
    ["UNLICENSED", false],
    [null, false],
  ])("%j: permissive is %s", (licence, expected) => {
    expect(isPermissive(licence)).toBe(expected);
  });

  it("are refused if one is not permissive, also of a package for development", () => {
    expect(() => licencesPage(lockFile, {})).toThrow(/^@s\/b@2\.0\.0: the licence \(GPL-3\.0-only\) is not permissive/);
  });

  it("may have exceptions, which must name the declared licence and be needed", () => {
    const exception = { declared: "GPL-3.0-only", reason: "Only tests use it." };
    const page = licencesPage(lockFile, { "@s/b": exception });
    expect(page).toContain("| `@s/b` | GPL-3.0-only | no | Only tests use it. |");
    expect(page).toContain("| GPL-3.0-only | 0 | 1 |");
    expect(() => licencesPage(lockFile, { "@s/b": { ...exception, declared: "MPL-2.0" } })).toThrow("not permissive");
    expect(() => licencesPage(lockFile, { "@s/b": exception, a: exception })).toThrow(
      "no package needs this exception",
    );
  });

  it("have a reason for each exception", () => {
    expect(Object.values(EXCEPTIONS).filter(({ reason }) => reason.length < 20)).toEqual([]);
  });
});

describe("the bill of materials", () => {
  const bom = JSON.parse(softwareBillOfMaterials(lockFile));

  it("lists what is delivered, with hashes, licences and dependencies", () => {
    expect(bom.components.map((one: Record<string, unknown>) => [one["purl"], one["scope"], one["licenses"]])).toEqual([
      ["pkg:npm/%40s/b@1.2.0", "required", [{ license: { id: "ISC" } }]],
      ["pkg:npm/a@1.0.0", "required", [{ license: { id: "MIT" } }]],
      ["pkg:npm/other@1.0.0", "optional", [{ expression: "(MIT AND BSD-3-Clause)" }]],
    ]);
    expect(bom.components[0].hashes).toEqual([{ alg: "SHA-512", content: "01".repeat(64) }]);
    expect(bom.dependencies).toEqual([
      { ref: "pkg:npm/%40s/b@1.2.0", dependsOn: ["pkg:npm/other@1.0.0"] },
      { ref: "pkg:npm/a@1.0.0", dependsOn: ["pkg:npm/%40s/b@1.2.0"] },
      { ref: "pkg:npm/moraine@1.0.0", dependsOn: ["pkg:npm/a@1.0.0"] },
      { ref: "pkg:npm/other@1.0.0", dependsOn: [] },
    ]);
  });

  it("is the same for the same lock file", () => {
    expect(softwareBillOfMaterials(lockFile)).toBe(softwareBillOfMaterials(parseLockFile(JSON.stringify(LOCK))));
  });

  it("needs the hash of every package", () => {
    const packages = { "": {}, "node_modules/a": { version: "1.0.0", license: "MIT" } };
    expect(() => parseLockFile(JSON.stringify({ packages }))).toThrow("node_modules/a has no SHA-512");
  });

  it("finds packages as Node.js does", () => {
    const resolve = createResolver(lockFile.packages);
    const found = resolve("node_modules/a/node_modules/@s/b", ["@s/b", "a", "missing"]);
    expect(found.map(({ name, version }) => `${name}@${version}`)).toEqual(["@s/b@1.2.0", "a@1.0.0"]);
  });
});
