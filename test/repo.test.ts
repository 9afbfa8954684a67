import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { SUBGRAPHS } from "../core/config/subgraphs.ts";
import { EXPORTS_FOR_TESTS } from "./support/exports-for-tests.ts";

const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((file) => file && existsSync(file));
const sources = tracked.filter((file) => file.endsWith(".ts") && !file.startsWith("prisma/client"));
const text = (file: string): string => readFileSync(file, "utf8");

/** Folders whose subfolders are parts of their own. */
const DIVIDED = new Set(["subgraphs", "indexer", "tools"]);
/** Subfolders that are parts of their own in a folder that is not divided otherwise. */
const SEPARATE = new Set(["signatures/protocol", "signatures/validator-sim", "signatures/demo"]);

/** The part that a file belongs to: a top-level folder, or a subfolder of a divided one. Settings of tools are in the root. */
function partOf(file: string): string {
  const [first = "", second = "", ...rest] = file.split("/");
  if (second === "") return "root";
  const isPart = DIVIDED.has(first) || SEPARATE.has(`${first}/${second}`);
  return isPart && rest.length > 0 ? `${first}/${second}` : first;
}

const SUBGRAPH_FOLDERS = SUBGRAPHS.map(({ name }) => `subgraphs/${name}`);
const INDEXERS = ["indexer/evm", "indexer/primary", "indexer/prices"];

/** What each part may import besides itself, `core`, and the Prisma client. Tests may import anything. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  root: [],
  // The program, which composes the parts.
  commands: [
    "indexer",
    "indexer/process",
    "indexer/shared",
    "indexer/archive",
    ...INDEXERS,
    "exporter",
    "signatures",
    "signatures/demo",
    "signatures/protocol",
    "gateway",
    "rest-compat",
    "recordings",
    "tools/supply",
    "tools/documents",
    "tools/examples",
    "subgraphs",
    ...SUBGRAPH_FOLDERS,
  ],
  core: [],
  // Its `main.ts` starts several processes if the settings ask for them.
  indexer: ["indexer/process", "indexer/shared", ...INDEXERS],
  "indexer/process": ["indexer", "indexer/shared"],
  "indexer/shared": [],
  "indexer/follow": ["indexer/shared"],
  "indexer/evm": ["indexer/shared", "indexer/follow"],
  "indexer/primary": ["indexer/shared", "indexer/follow"],
  "indexer/prices": ["indexer/shared"],
  "indexer/archive": ["indexer/shared", "indexer/follow", "indexer/evm", "indexer/primary"],
  exporter: [],
  signatures: ["signatures/protocol"],
  "signatures/protocol": [],
  "signatures/validator-sim": [],
  "signatures/demo": ["signatures", "signatures/validator-sim"],
  gateway: [],
  "rest-compat": ["gateway"],
  // What loads and creates all subgraphs.
  subgraphs: ["subgraphs/shared", "subgraphs/node", "signatures/protocol"],
  "subgraphs/shared": [],
  ...Object.fromEntries(SUBGRAPH_FOLDERS.map((folder) => [folder, ["subgraphs/shared", "signatures/protocol"]])),
  recordings: [],
  "tools/supply": [],
  "tools/release": ["tools/build", "tools/supply"],
  "tools/documents": ["commands", "rest-compat"],
  "tools/examples": [],
  // It is a client: it knows only the graph.
  examples: [],
  "tools/attack": ["commands", "indexer", "gateway", "rest-compat"],
  "tools/bench": [
    "commands",
    "indexer",
    "indexer/process",
    "indexer/shared",
    ...INDEXERS,
    "gateway",
    "recordings",
    "subgraphs/shared",
    "subgraphs",
    ...SUBGRAPH_FOLDERS,
  ],
};

/** For each folder that has rooms: what each room may import besides itself, files beside the rooms, and other parts. */
const ROOMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  core: {
    async: [],
    caches: [],
    errors: [],
    formats: ["caches", "errors"],
    config: ["errors", "formats"],
    networks: ["errors", "formats", "config"],
    abi: ["errors", "formats", "networks"],
    observability: ["async", "errors", "config"],
    work: ["errors"],
    graph: ["errors", "formats", "work"],
    database: ["async", "errors", "config", "observability", "work", "graph"],
    "embedded-postgres": ["errors", "config", "observability", "database"],
    exports: ["formats", "config", "database"],
    limits: [
      "async",
      "caches",
      "errors",
      "formats",
      "config",
      "networks",
      "observability",
      "work",
      "graph",
      "database",
    ],
    http: ["async", "caches", "errors", "config", "observability", "work", "graph", "limits"],
    sockets: ["async", "errors", "formats", "observability", "work", "graph", "http"],
    processes: ["errors", "config", "observability", "database", "http"],
  },
  gateway: {
    schemas: [],
    composition: ["schemas"],
    graphiql: [],
    plan: ["schemas"],
    sources: ["schemas", "composition", "plan"],
    operation: ["schemas", "plan"],
    transports: ["graphiql", "schemas", "plan", "operation"],
    usage: ["operation"],
  },
  "rest-compat": {
    graph: [],
    http: [],
    node: ["graph", "http"],
    rest: ["graph", "http", "node"],
  },
  "subgraphs/shared": {
    nodes: [],
    "evm-node": ["nodes"],
    prices: ["schema"],
    "new-blocks": [],
    rows: [],
    schema: [],
    server: [],
    "answer-text": ["schema"],
  },
  "indexer/evm": {
    wire: [],
    fetch: ["wire"],
    "raw-blocks": ["wire"],
    decode: ["wire"],
    store: ["decode"],
    maintenance: ["store"],
    compare: ["decode", "store"],
    traces: ["wire", "fetch", "decode", "raw-blocks", "store"],
    "contract-calls": ["fetch"],
    nodes: ["wire", "fetch", "contract-calls"],
    tokens: ["fetch", "contract-calls"],
    nft: ["fetch", "contract-calls", "store"],
    replay: ["wire", "decode", "raw-blocks", "store"],
    proof: ["fetch", "decode", "raw-blocks", "store", "maintenance", "compare", "contract-calls"],
    follow: ["wire", "fetch", "decode", "raw-blocks", "store", "maintenance", "traces", "replay", "proof"],
    commands: [
      "wire",
      "fetch",
      "decode",
      "raw-blocks",
      "store",
      "maintenance",
      "compare",
      "traces",
      "replay",
      "tokens",
      "nft",
    ],
  },
  "indexer/primary": {
    genesis: [],
    network: [],
    fetch: ["network"],
    "raw-blocks": ["network", "fetch"],
    decode: ["network", "raw-blocks"],
    identify: ["genesis", "network", "fetch", "decode"],
    nodes: ["network", "fetch", "decode", "identify"],
    replay: ["network", "raw-blocks", "decode"],
    follow: ["network", "fetch", "decode", "identify", "replay"],
    verify: ["network", "fetch", "decode", "replay"],
    proof: ["network", "verify"],
  },
  exporter: {
    command: [],
    connections: [],
    files: [],
    rows: [],
    downloads: ["files"],
    job: ["connections", "files"],
    queue: ["connections", "job"],
    process: ["connections", "files", "queue"],
  },
  signatures: {
    bls: [],
    codec: [],
    protocol: [],
    derive: ["codec"],
    p2p: ["bls"],
    "validator-sets": ["bls"],
    aggregate: ["codec", "bls", "validator-sets"],
    verify: ["codec", "bls", "validator-sets"],
    index: ["codec", "bls", "derive", "validator-sets"],
    resolve: ["codec", "bls", "derive", "protocol", "index"],
    collection: ["protocol", "validator-sets", "verify"],
    collector: ["aggregate", "bls", "codec", "collection", "p2p", "protocol", "validator-sets", "verify"],
    upstream: ["collection", "protocol", "validator-sets", "verify"],
    service: ["bls", "collection", "collector", "p2p", "protocol", "resolve", "upstream"],
    process: ["service"],
    "validator-sim": [],
    demo: ["codec", "derive", "validator-sim", "process"],
  },
};

/** The room of a file in a folder; null for files beside the rooms and outside. */
function roomOf(folder: string, file: string): string | null {
  const [room = "", ...rest] = file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split("/") : [];
  return rest.length > 0 ? room : null;
}

function importsOf(file: string): string[] {
  const specifiers = [...text(file).matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(
    ([, specifier = ""]) => specifier,
  );
  return specifiers.map((specifier) => normalize(join(dirname(file), specifier)));
}

const isTest = (file: string): boolean => file.endsWith(".test.ts") || file.startsWith("test/");

/** What files import, as `file: name`. A file that is loaded as a whole, or by a script, has the name `*`. */
function importedNames(files: readonly string[]): ReadonlySet<string> {
  const NAMED = /(?:import|export)\s+(?:type\s+)?(\*\s+as\s+\w+|\{[^}]*\})\s*from\s*"(\.[^"]+)"/g;
  const WHOLE = /import\(\s*"(\.[^"]+)"\s*\)/g;
  return new Set(
    files.flatMap((file) => {
      const content = text(file);
      const targetOf = (specifier = "") => normalize(join(dirname(file), specifier));
      const named = [...content.matchAll(NAMED)].flatMap(([, list = "", specifier]) =>
        list
          .replace(/[{}]/g, "")
          .split(",")
          .map((name) => `${targetOf(specifier)}: ${importedName(name)}`),
      );
      return [...named, ...[...content.matchAll(WHOLE)].map(([, specifier]) => `${targetOf(specifier)}: *`)];
    }),
  );
}

const importedName = (text: string): string =>
  text
    .trim()
    .replace(/^type\s+/, "")
    .replace(/\s+as\s.*$/, "");

/** The functions, constants and classes that a file exports, with the number of its other lines of code that name them. */
function exportedValues(file: string): { readonly name: string; readonly ownLines: number }[] {
  const lines = text(file)
    .split("\n")
    .filter((line) => !/^\s*(\/\*\*|\*|\/\/)/.test(line));
  const names = lines.flatMap(
    (line) => /^export (?:abstract |async )*(?:function\*?|const|let|class) (\w+)/.exec(line)?.[1] ?? [],
  );
  return names.map((name) => ({
    name,
    ownLines: lines.filter((line) => new RegExp(`\\b${name}\\b`).test(line)).length - 1,
  }));
}

/** Exports for other programs, which nothing here imports. */
const PUBLIC = new Set(["rest-compat/rest-router.ts: createRestRouter"]);

describe("the repository", () => {
  it("has parts that import one another only in the direction of the architecture", () => {
    const wrong = sources
      .filter((file) => !isTest(file))
      .flatMap((file) => importsOf(file).map((target) => ({ file, target })))
      .filter(({ file, target }) => {
        const from = partOf(file);
        const to = partOf(target);
        return from !== to && to !== "core" && to !== "prisma" && !(MAY_IMPORT[from] ?? []).includes(to);
      });
    expect(wrong).toEqual([]);
  });

  it.each(Object.entries(ROOMS))(
    "has rooms in %s that import one another only as the table allows",
    (folder, rooms) => {
      const files = sources.filter((file) => !isTest(file) && roomOf(folder, file) !== null);
      const wrong = files
        .flatMap((file) => importsOf(file).map((target) => ({ file, target })))
        .filter(({ file, target }) => {
          const from = roomOf(folder, file) ?? "";
          const to = roomOf(folder, target);
          return to !== null && from !== to && !rooms[from]?.includes(to);
        });
      const unknown = files.filter((file) => !((roomOf(folder, file) ?? "") in rooms));
      expect({ wrong, unknown }).toEqual({ wrong: [], unknown: [] });
    },
  );

  it("says in docs/architecture.md what each room is for", () => {
    const rooms = Object.entries(ROOMS).flatMap(([folder, named]) =>
      Object.keys(named).map((room) => `${folder}/${room}`),
    );
    const page = text("docs/architecture.md");
    expect(rooms.filter((room) => !page.includes(`\`${room}\``))).toEqual([]);
  });

  it("has no file beside the rooms of core", () => {
    expect(sources.filter((file) => /^core\/[^/]+$/.test(file))).toEqual([]);
  });

  it("has a rule for every part", () => {
    const parts = new Set(sources.filter((file) => !isTest(file)).map(partOf));
    expect([...parts].filter((part) => !(part in MAY_IMPORT) && part !== "prisma")).toEqual([]);
  });

  it("imports files that exist", () => {
    const missing = sources.flatMap((file) =>
      importsOf(file)
        .filter((target) => !existsSync(target))
        .map((target) => `${file}: ${target}`),
    );
    expect(missing.filter((line) => !line.includes("prisma/client"))).toEqual([]);
  });

  it("exports no value that only tests use but those that are listed, and none that no other file imports", () => {
    const scripts = tracked.filter((file) => /\.(ts|mts|mjs|cjs)$/.test(file) && !file.startsWith("prisma/client"));
    const byProduct = importedNames(scripts.filter((file) => !isTest(file)));
    const byTests = importedNames(scripts.filter(isTest));
    const isTool = (file: string) => /^(tools\/(bench|attack)|recordings|examples\/client\/generated)\//.test(file);
    const files = sources.filter((file) => !isTest(file) && !isTool(file) && !file.endsWith(".d.ts"));
    const exported = new Map(files.map((file) => [file, exportedValues(file)] as const));
    const gone = Object.entries(EXPORTS_FOR_TESTS).flatMap(([file, names]) =>
      names.filter((name) => !exported.get(file)?.some((one) => one.name === name)),
    );
    const wrong = [...exported].flatMap(([file, values]) =>
      values.flatMap(({ name, ownLines }) => {
        const isImported =
          [name, "*"].some((one) => byProduct.has(`${file}: ${one}`)) || PUBLIC.has(`${file}: ${name}`);
        const isForTests = !isImported && ownLines > 0 && byTests.has(`${file}: ${name}`);
        const isListed = EXPORTS_FOR_TESTS[file]?.includes(name) ?? false;
        return isListed === isForTests && (isImported || isForTests) ? [] : `${file}: ${name}`;
      }),
    );
    expect({ wrong, gone }).toEqual({ wrong: [], gone: [] });
  });

  it("names only paths that exist in its documents", () => {
    const documents = tracked.filter((file) => file.endsWith(".md") && !file.startsWith("recordings/alpha"));
    const missing = documents.flatMap((file) =>
      [...text(file).matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)]
        .map(([, target = ""]) => join(dirname(file), target))
        .filter((target) => !existsSync(target))
        .map((target) => `${file}: ${target}`),
    );
    expect(missing).toEqual([]);
  });

  it.each(["CONTRIBUTING.md", "docs/architecture.md"])("names only files and folders that exist in %s", (document) => {
    const named = [...text(document).matchAll(/`([a-z][\w.-]*\/[\w./-]*)`/g)].map(([, path = ""]) => path);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });

  it("uses every REST operation, and has every operation that a route names", () => {
    const files = readdirSync("rest-compat/operations").map((file) => file.replace(/\.graphql$/, ""));
    const code = sources.filter((file) => file.startsWith("rest-compat/") && !isTest(file)).map(text);
    const named = [...text("rest-compat/routes.ts").matchAll(/operation: "([^"]+)"/g)].map(([, name = ""]) => name);
    const unused = files.filter((name) => !code.some((content) => content.includes(`"${name}"`)));
    expect({ unused, missing: named.filter((name) => !files.includes(name)) }).toEqual({ unused: [], missing: [] });
  });

  it("opens every session of PostgreSQL in core/database/postgres, where it gets the settings that Moraine needs", () => {
    const isOwn = (file: string) =>
      !isTest(file) && !file.startsWith("tools/bench/") && !file.startsWith("core/database/postgres/");
    const others = sources.filter((file) => isOwn(file) && /\bnew pg\.\w+\(|\bconnectionString\b/.test(text(file)));
    expect(others).toEqual([]);
  });

  it("makes every DataLoader in core/database/data-loader.ts, which measures it", () => {
    const makers = sources.filter((file) => !isTest(file) && /\bnew DataLoader\b/.test(text(file)));
    expect(makers).toEqual(["core/database/data-loader.ts"]);
  });

  it("uses each undocumented part of a library in one file, which docs/decisions/020-undeclared-parts.md lists", () => {
    const PART = /[\w)\]]\._[a-z]|getMetadataStorage|prototype as unknown/;
    const users = sources.filter((file) => !isTest(file) && !file.startsWith("tools/bench/") && PART.test(text(file)));
    expect(users).toEqual([
      "core/database/text-query.ts",
      "core/http/guards.ts",
      "exporter/queue/queue-worker.ts",
      "subgraphs/shared/schema/resolvers.ts",
    ]);
    const page = text("docs/decisions/020-undeclared-parts.md");
    expect(users.filter((file) => !page.includes(`(../../${file})`))).toEqual([]);
  });

  it("has no default exports except those that a tool requires, and no files of re-exports", () => {
    const tools = new Set(["test/support/database/global-setup.ts", "test/support/database/global-teardown.ts"]);
    const withDefault = sources.filter((file) => !tools.has(file) && /^export default/m.test(text(file)));
    const barrels = sources.filter((file) => /^export (\*|\{[^}]*\}) from/m.test(text(file)));
    expect({ withDefault, barrels }).toEqual({ withDefault: [], barrels: [] });
  });

  it("has no conflict markers of a merge", () => {
    const texts = tracked.filter((file) => /\.(ts|mjs|cjs|json|md|graphql|prisma|sql|html|yml)$/.test(file));
    const withMarker = texts.filter((file) => /^(<{7}|={7}|>{7})( |$)/m.test(text(file)));
    expect(withMarker).toEqual([]);
  });

  it.each(["package-lock.json", "tools/prisma/package-lock.json"])("names no registry host in %s", (file) => {
    expect(text(file).match(/"resolved"/g)).toBeNull();
  });

  it("names one version everywhere, which has the suffix -dev while the changelog has unreleased changes", () => {
    const { version } = JSON.parse(text("package.json")) as { readonly version: string };
    const places: readonly (readonly [file: string, pattern: RegExp])[] = [
      [
        "package-lock.json",
        /^ {2}"version": "([^"]+)"|^ {4}"": \{\n {6}"name": "moraine",\n {6}"version": "([^"]+)"/gm,
      ],
      ["sbom.cdx.json", /"bom-ref":"pkg:npm\/moraine@([^"]+)"/g],
      ["spec/openapi.json", /"version": "([^"]+)"/g],
      ["spec/openrpc.json", /"version": "([^"]+)",/g],
      ["deploy/kubernetes/base/kustomization.yaml", /(?:moraine:|newTag: )(\S+)/g],
      ["docs/operate/kubernetes.md", /example\/moraine:(\S+)/g],
    ];
    const named = places.map(([file, pattern]) => [
      file,
      ...[...text(file).matchAll(pattern)].map(([, first, second]) => first ?? second),
    ]);
    expect(named).toEqual([
      ["package-lock.json", version, version],
      ["sbom.cdx.json", version],
      ["spec/openapi.json", version],
      ["spec/openrpc.json", version],
      ["deploy/kubernetes/base/kustomization.yaml", version, version],
      ["docs/operate/kubernetes.md", version, version],
    ]);
    const [, newest] = /^## (.+)$/m.exec(text("CHANGELOG.md")) ?? [];
    expect(newest).toBe(version.endsWith("-dev") ? "Unreleased" : version);
  });

  it("pins every dependency exactly", () => {
    const { dependencies, devDependencies } = JSON.parse(text("package.json")) as Record<
      string,
      Record<string, string>
    >;
    const versions = Object.values({ ...dependencies, ...devDependencies });
    expect(versions.filter((version) => !/^\d/.test(version))).toEqual([]);
  });
});
