import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printSchema } from "graphql";
import { VERSION } from "../../core/observability/version.ts";
import { schemaVersion } from "../../gateway/schemas/schema-version.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { serveGateway } from "../../test/federation/served.ts";
import { testConfig } from "../../test/support/config.ts";
import { changesBetween } from "./changes.ts";
import { checkSchema } from "./check-schema.ts";
import { changelogWith, changesSince, refusals, schemaOf } from "./release-changes.ts";
import { lastRelease, mayBreak } from "./releases.ts";
import { unusedIsDangerous, usageOf } from "./usage.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-schema-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const BEFORE = `
  type Query { block(id: ID, full: Boolean): Block blocks(filter: Filter): [Block!] item: Item status: Status }
  interface Item { id: ID! }
  type Block implements Item { id: ID! height: Int! miner: String }
  input Filter { from: Int to: Int }
  enum Status { OPEN CLOSED }`;

/** The breaking changes of the text, by path: all of them, and those of what the operations use. */
async function breakingOf(replaced: readonly [string, string], ...operations: readonly string[]) {
  const before = schemaOf(BEFORE);
  const after = schemaOf(BEFORE.replace(...replaced));
  const usage = usageOf(before, new Map(operations.map((text, id) => [String(id), text])));
  const paths = async (...rules: Parameters<typeof changesBetween>[2] & object) =>
    (await changesBetween(before, after, rules)).breaking.map(({ path }) => path);
  return { all: await paths(), used: await paths(unusedIsDangerous(usage)) };
}

describe("a breaking change", () => {
  it.each<[what: string, replaced: [string, string], path: string, using: string, other: string]>([
    ["of a field", ["height: Int!", "height: Int"], "Block.height", "{ block { height } }", "{ block { id } }"],
    [
      "of a field whose name begins as that of a used one",
      ["block(", "one("],
      "Query.block",
      "{ block { id } }",
      "{ blocks { id } }",
    ],
    [
      "of a field below an interface",
      ["Block implements Item { id: ID!", "Block { id: ID"],
      "Block.id",
      "{ item { id } }",
      "{ block { height } }",
    ],
    [
      "that removes an argument",
      ["id: ID, full: Boolean", "id: ID"],
      "Query.block.full",
      "{ block(full: true) { id } }",
      "{ block(id: 1) { id } }",
    ],
    ["that requires an argument", ["id: ID,", "id: ID!,"], "Query.block.id", "{ block { id } }", "{ blocks { id } }"],
    [
      "that removes an input field",
      [" to: Int", ""],
      "Filter.to",
      "query ($by: Filter) { blocks(filter: $by) { id } }",
      "{ blocks(filter: { from: 1 }) { id } }",
    ],
    [
      "that requires an input field",
      ["to: Int", "to: Int!"],
      "Filter.to",
      "{ blocks(filter: { from: 1 }) { id } }",
      "{ blocks { id } }",
    ],
    ["that removes a value of an enum", [" CLOSED", ""], "Status.CLOSED", "{ status }", "{ item { id } }"],
  ])(
    "%s counts if an operation uses it, and is only dangerous otherwise",
    async (_what, replaced, path, using, other) => {
      const used = await breakingOf(replaced, using);
      expect(used.all).toContain(path);
      expect(used.used).toContain(path);
      expect((await breakingOf(replaced, other)).used).not.toContain(path);
    },
  );
});

describe("a release", () => {
  it.each([
    ["0.2.0", "0.2.1", false],
    ["0.2.0", "0.3.0", true],
    ["0.9.0", "1.0.0", true],
    ["1.2.0", "1.3.0", false],
    ["1.2.0", "2.0.0", true],
  ])("after %s with the version %s may break operations: %s", (before, after, expected) => {
    expect(mayBreak(before, after)).toBe(expected);
  });

  it("is refused if it may not break operations, or if the changelog does not describe what breaks; the generated list does not count", async () => {
    const release = { version: "0.2.0", publicSdl: BEFORE, subgraphSdls: new Map([["evm", BEFORE]]) };
    const after = BEFORE.replace("height: Int!", "height: Int");
    const changes = await changesSince(release, after, [{ name: "evm", sdl: after.replace("miner: String", "") }]);
    const empty =
      "# Changelog\n\n## Unreleased\n\n- A line.\n\n<!-- Changes of the schema: written by `npm run generate`. -->\n<!-- End of the changes of the schema. -->\n\n## 0.2.0\n\n- `Block.height` and `Block.miner`\n";
    const generated = changelogWith(empty, changes);
    expect(generated).toContain(
      "since 0.2.0: 1 breaking, 0 dangerous and 0 safe changes\n- breaking: Field `Block.height` changed type",
    );
    expect(generated).toContain(
      "besides these: 1 breaking, 0 dangerous and 0 safe changes\n- breaking: Field `miner` was removed",
    );
    expect(changelogWith(generated, changes)).toBe(generated);
    const unnamed = ["Block.height", "Block.miner"].map(
      (name) => `the breaking change of \`${name}\` is not described in the first section of CHANGELOG.md`,
    );
    expect(refusals(changes, "0.2.0", generated)).toEqual(unnamed);
    expect(refusals(changes, "0.2.0", generated.replace("- A line.", "- `Block.heights`, `Block`"))).toEqual(unnamed);
    const described = generated.replace("- A line.", "- `Block.height` can be null, and `Block.miner` is gone.");
    expect(refusals(changes, "0.2.0", described)).toEqual([]);
    expect(refusals(changes, "0.3.0", described)).toEqual([]);
    expect(refusals(changes, "0.2.1", described)).toEqual(["version 0.2.1 must have no breaking changes since 0.2.0"]);
  });
});

describe("moraine schema check", () => {
  it.each([
    ["introspection", "/graphql"],
    ["its published file", "/schema/api.graphql"],
    ["its file of the whole graph as one subgraph", "/schema/subgraph.graphql"],
  ])("finds no change between this version and a server of it, whose schema it reads by %s", async (_way, path) => {
    await using gateway = await serveGateway([]);
    expect(await checkSchema({ against: new URL(path, gateway.url).href, usage: undefined })).toMatchObject({
      data: { breaking: [], dangerous: [], safe: 0 },
      exitCode: 0,
    });
  });

  it("finds no change between this version and a file that was saved from a server of it", async () => {
    await using gateway = await serveGateway([]);
    const sdl = await (await fetch(new URL("/schema/api.graphql", gateway.url))).text();
    expect(await checkSchema({ against: fileOf("saved.graphql", sdl), usage: undefined })).toMatchObject({
      data: { breaking: [], dangerous: [], safe: 0 },
    });
  });

  it("ends with 1 for a breaking change, unless no operation of the file uses it, and names operations that it cannot judge", async () => {
    const sdl = lastRelease().publicSdl.replace("type HealthReport {", "type HealthReport {\n  gone: Int");
    const against = fileOf("other.graphql", sdl);
    const breaking = (await checkSchema({ against, usage: undefined })).data as { breaking: { path: string }[] };
    expect(breaking.breaking.map(({ path }) => path)).toContain("HealthReport.gone");
    const file = (operations: object) => fileOf("operations.json", JSON.stringify(operations));
    const unused = await checkSchema({ against, usage: file({ one: "{ __typename }", two: "{ nothing }" }) });
    expect(unused).toMatchObject({ exitCode: 0, data: { breaking: [], invalidOperations: ["two"] } });
    expect(unused.text).toContain('operation "two" is not valid for the compared schema');
    const used = await checkSchema({ against, usage: file({ one: "{ health { gone } }" }) });
    expect(used).toMatchObject({ exitCode: 1, data: { breaking: [{ path: "HealthReport.gone" }] } });
  });

  it.each([
    [
      "a file that does not exist",
      () => join(folder, "missing.graphql"),
      /^--against is ".*missing.graphql", which has no schema of callers: ENOENT/,
    ],
    [
      "a supergraph",
      () => fileOf("supergraph.graphql", committedSupergraph()),
      /which has no schema of callers: it is a supergraph/,
    ],
    ["a file that is no SDL", () => fileOf("no.graphql", "type"), /which has no schema of callers: Syntax Error/],
  ])("refuses %s in one line", async (_what, against, message) => {
    await expect(checkSchema({ against: against(), usage: undefined })).rejects.toThrow(message);
  });

  it("says that a server does not answer introspection", async () => {
    await using gateway = await serveGateway(
      [],
      undefined,
      undefined,
      testConfig({ graphql: { introspection: false } }),
    );
    await expect(checkSchema({ against: gateway.url, usage: undefined })).rejects.toThrow(
      /which has no schema of callers: /,
    );
  });
});

describe("the version of a schema", () => {
  it("has the version of Moraine, and stays the same if only the order changes", () => {
    const one = schemaVersion(schemaOf("type Query { a: Int b: Int }"));
    expect(one).toMatch(new RegExp(`^${VERSION.replaceAll(".", "\\.")}\\+[0-9a-f]{12}$`));
    expect(schemaVersion(schemaOf("type Query { b: Int a: Int }"))).toBe(one);
    expect(schemaVersion(schemaOf("type Query { a: Int b: Float }"))).not.toBe(one);
    expect(schemaVersion(schemaOf(printSchema(schemaOf('type Query { "Text." a: Int b: Int }'))))).not.toBe(one);
  });
});
