// `node tools/bench/run.mjs [case]…` bundles the bench and runs it. The bench measures bundles, because users run bundles: tsx would call a
// function each time that any other function is created.
import "../../commands/setup.mjs";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { builtFile, ROOT } from "../build/directories.mjs";
import { bundleOptions, PRODUCT_SCRIPTS } from "../build/options.mjs";

/** The bench, and the scripts that only the bench starts as processes. */
const BENCH_SCRIPTS = [
  "tools/bench/gateways/gateway.ts",
  "tools/bench/gateways/subgraph.ts",
  "tools/bench/main.ts",
  "tools/bench/measure.ts",
  "tools/bench/servers.ts",
  "tools/bench/synthetic/node.ts",
];

// Node.js finds the packages from this folder too.
const outdir = mkdtempSync(join(ROOT, "node_modules", ".bench-"));
process.once("exit", () => rmSync(outdir, { recursive: true, force: true }));
const scripts = [...PRODUCT_SCRIPTS, ...BENCH_SCRIPTS];
await build(bundleOptions({ entryPoints: scripts, outdir, scriptDirectory: outdir, scripts }));
const measures = (name) => process.argv.length < 3 || process.argv.includes(name);
if (measures("gateways")) installRivals("tools/bench/rivals");
if (measures("ponder")) installRivals("tools/bench/rivals/ponder");
await import(pathToFileURL(builtFile(outdir, "tools/bench/main.ts")).href);

/** Installs the servers that Moraine is compared with. They are no packages of Moraine. */
function installRivals(folder) {
  const rivals = join(ROOT, folder);
  if (existsSync(join(rivals, "node_modules"))) return;
  execFileSync("npm", ["ci", "--ignore-scripts"], {
    cwd: rivals,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
}
