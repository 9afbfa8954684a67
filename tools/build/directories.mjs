import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the project. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** One directory for each state of the sources that was built. */
export const BUILDS = join(ROOT, ".build");
/** The build of an installation without sources, such as an image (`tools/release/release.ts`). */
export const RELEASED_BUILD = join(BUILDS, "release");

/** Folders without sources of the product. */
const OTHER_FOLDERS = new Set(
  ["docs", "examples", "node_modules", "spec", "test", "tools/attack", "tools/bench", "tools/jest", "tools/prisma"].map(
    (folder) => join(ROOT, folder),
  ),
);
/** The list of the installed packages, and what bundles them and the sources. */
const OTHER_FILES = [
  "node_modules/.package-lock.json",
  "tsconfig.json",
  "tools/build/build.mjs",
  "tools/build/bundle.mjs",
  "tools/build/directories.mjs",
  "tools/build/options.mjs",
  "tools/build/source-map.mjs",
];

/**
 * The directory of the build of the present sources. It is complete if it exists. Its name is a hash of the sources, so two
 * processes never disagree about its content, and a running process keeps the files that it may still load.
 */
export function buildDirectory() {
  const hash = createHash("sha256").update(ROOT);
  for (const file of [...sources(), ...OTHER_FILES.map((name) => join(ROOT, name))])
    hash.update(`\0${relative(ROOT, file)}\0`).update(existsSync(file) ? readFileSync(file) : "");
  return join(BUILDS, hash.digest("hex").slice(0, 16));
}

/** The bundle of a script in a directory. `script` is a path from the root, such as `indexer/main.ts`. */
export function builtFile(directory, script) {
  return join(directory, script.replace(/\.ts$/, ".mjs"));
}

function* sources(folder = ROOT) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (entry.isDirectory() && !name.startsWith(".") && !OTHER_FOLDERS.has(join(folder, name)))
      yield* sources(join(folder, name));
    if (entry.isFile() && name.endsWith(".ts") && !name.endsWith(".test.ts")) yield join(folder, name);
  }
}

/** A folder in a build. It has one file for each process that uses the build, named after the process id. */
export const USERS = "users";
/** If a build or its folder `users` has changed within this time, a process that is starting may use the build. */
const STARTING_MS = 10 * 60_000;

/** Notes that this process loads files of a build until it ends. Does nothing if the directory is read-only. */
export function noteUse(directory) {
  const file = join(directory, USERS, String(process.pid));
  try {
    writeFileSync(file, "");
    process.once("exit", () => rmSync(file, { force: true }));
  } catch {}
}

/** A new directory for a build. It is empty except for the folder of its users. */
export function createUnfinished() {
  const directory = unfinishedPath();
  mkdirSync(join(directory, USERS), { recursive: true });
  return directory;
}

/** Removes earlier builds that no running process uses, and those that were interrupted. */
export function removeUnused(current) {
  const others = readdirSync(BUILDS).map((name) => join(BUILDS, name));
  for (const directory of others.filter((path) => path !== current && !isUsed(path))) {
    const unfinished = unfinishedPath();
    try {
      // A build that is removed only in part must not have the name of a complete one.
      renameSync(directory, unfinished);
      rmSync(unfinished, { recursive: true, force: true });
    } catch {
      // Another process may have removed it. What is left is removed by the next build.
    }
  }
}

function unfinishedPath() {
  return join(BUILDS, `unfinished-${randomUUID()}`);
}

function isUsed(directory) {
  const users = join(directory, USERS);
  const changes = [directory, users].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (Date.now() - Math.max(...changes) < STARTING_MS) return true;
  return existsSync(users) && readdirSync(users).some((pid) => isRunning(Number(pid)));
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}
