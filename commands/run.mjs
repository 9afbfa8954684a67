// `node commands/run.mjs <command> [argument]…` runs a command of the product, such as `start`. Before that, it installs, generates and
// builds what is missing or older than its sources, unless it runs in an installation without sources. Needs only Node.js.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildDirectory, builtFile, noteUse, RELEASED_BUILD, ROOT } from "../tools/build/directories.mjs";

const [node] = process.argv;
const file = builtFile(existsSync(RELEASED_BUILD) ? RELEASED_BUILD : await currentBuild(), "commands/main.ts");
process.argv[1] = file;
await import(pathToFileURL(file).href);

async function currentBuild() {
  await import("./setup.mjs");
  if (!existsSync(buildDirectory())) build();
  const directory = buildDirectory();
  noteUse(directory);
  return directory;
}

function build() {
  console.error("Building Moraine …");
  try {
    execFileSync(node, [join(ROOT, "tools", "build", "build.mjs")], { stdio: ["ignore", 2, 2] });
  } catch {
    // The build has printed the reason.
    process.exit(1);
  }
}
