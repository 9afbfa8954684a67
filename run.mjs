// `node run.mjs <script> [argument]…` runs a script of the product, such as main.ts. Before that, it installs, generates and builds
// what is missing or older than its sources. Needs only Node.js.
import "./setup.mjs";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildDirectory, builtFile, noteUse, ROOT } from "./build/directories.mjs";

const [node, , script = "", ...args] = process.argv;
const file = builtFile(currentBuild(), script);
if (script === "" || !existsSync(file)) {
  console.error(
    `there is no script "${script}": run \`node run.mjs <script>\` with a script that package.json runs, such as main.ts`,
  );
  process.exit(1);
}
process.argv = [node, file, ...args];
await import(pathToFileURL(file).href);

function currentBuild() {
  if (!existsSync(buildDirectory())) build();
  const directory = buildDirectory();
  noteUse(directory);
  return directory;
}

function build() {
  console.error("Building Moraine …");
  try {
    execFileSync(node, [join(ROOT, "build", "build.mjs")], { stdio: ["ignore", 2, 2] });
  } catch {
    // The build has printed the reason.
    process.exit(1);
  }
}
