import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Metafile } from "esbuild";

/** The module itself, which finds the files of the project beside it. The bundle of this test would contain a copy. */
const OPTIONS = pathToFileURL(resolve("tools/build/options.mjs")).href;

/** What only some processes need, by a part of the path of a source or of a package that is not bundled. */
const COSTLY = {
  prisma: /^prisma\/client\/internal\/class\.ts$|@prisma\/client\//,
  graph: /node_modules\/(@apollo|@graphql-hive|@graphql-tools|type-graphql|graphql-yoga|express)\//,
};

let metafile: Metafile;
beforeAll(async () => {
  const { bundleOptions, PRODUCT_SCRIPTS } = (await import(OPTIONS)) as typeof import("../tools/build/options.mjs");
  const options = bundleOptions({ entryPoints: PRODUCT_SCRIPTS, outdir: "unwritten", scriptDirectory: "unwritten" });
  metafile = (await build({ ...options, metafile: true, write: false })).metafile;
});

/** The sources and the unbundled packages that a process has loaded when its script runs; what it imports later is not among them. */
function loadedBy(script: string): Set<string> {
  const loaded = new Set<string>();
  const visited = new Set<string>();
  const visit = (file: string): void => {
    if (visited.has(file)) return;
    visited.add(file);
    const { inputs, imports } = metafile.outputs[file] ?? { inputs: {}, imports: [] };
    for (const input of Object.keys(inputs)) loaded.add(input);
    for (const { path, kind, external } of imports)
      if (external) loaded.add(path);
      else if (kind === "import-statement") visit(path);
  };
  const [first] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === script) ?? [];
  if (first === undefined) throw new Error(`${script} is not built`);
  visit(first);
  return loaded;
}

function costlyPartsOf(script: string): string[] {
  const loaded = [...loadedBy(script)];
  return Object.entries(COSTLY).flatMap(([name, pattern]) => (loaded.some((path) => pattern.test(path)) ? [name] : []));
}

describe("the bundle of a script loads only what its process needs", () => {
  it.each([
    ["indexer/process/worker.ts", []],
    ["exporter/process/worker.ts", []],
    ["signatures/process/worker.ts", []],
    ["signatures/demo/worker.ts", []],
    ["commands/main.ts", []],
    ["commands/start.ts", ["prisma"]],
    ["subgraphs/evm/main.ts", ["prisma", "graph"]],
  ])("%s", (script, parts) => {
    expect(costlyPartsOf(script)).toEqual(parts);
  });

  it("the program loads neither the client of PostgreSQL, the logger nor the schema of the graph before it knows the command", () => {
    const costly =
      /^(pg|pino|prom-client|@aws-sdk\/.*)$|node_modules\/(graphql\/(type|execution|validation)|type-graphql)\//;
    expect([...loadedBy("commands/main.ts")].filter((path) => costly.test(path))).toEqual([]);
    expect([...loadedBy("commands/keys.ts")].some((path) => costly.test(path))).toBe(true);
  });

  it("the page of GraphiQL, of 9 MB, is loaded only by the thread that renders it", () => {
    const users = Object.values(metafile.outputs).filter(({ imports }) =>
      imports.some(({ path }) => path.startsWith("@graphql-yoga/render-graphiql")),
    );
    expect(users.map(({ entryPoint }) => entryPoint)).toEqual(["gateway/graphiql/worker.ts"]);
  });
});

it("graphql is bundled once, as ES modules, of which importing modules make no copies", () => {
  const files = Object.keys(metafile.inputs).filter((path) => /node_modules\/graphql\/.*\.m?js$/.test(path));
  expect(files).toContain("node_modules/graphql/index.mjs");
  expect(files.filter((path) => !/^node_modules\/graphql\/.*\.mjs$/.test(path))).toEqual([]);
});

/** Heads of classes of which two are called the same. */
const CLASSES = [
  "class Same {}",
  "export class Same {\n  static members = 1;\n}",
  "abstract class Same<Item extends object> extends Map<string, Item> {\n}",
  "@decorated\nexport class Same\n  extends Error\n  implements Disposable\n{\n  [Symbol.dispose](): void {}\n}",
];

it("classes of the same name keep it in a bundle, before their decorators run", async () => {
  const folder = await mkdtemp(resolve("node_modules/.cache/classes-"));
  try {
    const module = (text: string) =>
      `const decorated = (Type: Function): void => { globalThis.decoratedName = Type.name; };\n${text}\nexport const name = Same.name;`;
    await Promise.all(CLASSES.map((text, at) => writeFile(join(folder, `${at}.ts`), module(text))));
    const pathOf = (at: number) => JSON.stringify(`./${at}.ts`);
    const imports = CLASSES.map((_, at) => `import { name as name${at} } from ${pathOf(at)};`).join("\n");
    const names = CLASSES.map((_, at) => `name${at}`).join(", ");
    await writeFile(join(folder, "all.ts"), `${imports}\nexport const names = [${names}, globalThis.decoratedName];`);
    const { bundleOptions } = (await import(OPTIONS)) as typeof import("../tools/build/options.mjs");
    const outdir = join(folder, "built");
    const entryPoints = [relative(resolve("."), join(folder, "all.ts"))];
    await build(bundleOptions({ entryPoints, outdir, scriptDirectory: outdir }));
    const built = (await import(pathToFileURL(join(outdir, relative(resolve("."), folder), "all.mjs")).href)) as {
      names: string[];
    };
    expect(built.names).toEqual(["Same", "Same", "Same", "Same", "Same"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
