// Runs before `npm start` and `npm test`. Installs the locked dependencies if they are missing or older than the lock
// file, and generates the Prisma client if the schema changed. Needs only Node.js.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const at = (...parts) => join(root, ...parts);

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Moraine needs Node.js 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

const schema = at("prisma", "schema.prisma");
const client = at("prisma", "client");
/** The hash of the schema from which the client was generated. */
const stamp = join(client, ".schema-sha256");
/** A package of its own: the generator is big, and needed only here. */
const generator = at("tools", "prisma");
/** Exists while a process installs or generates. Its content is the id of the process. */
const lock = at(".setup.lock");
const LOCK_POLL_MS = 200;
/** A lock that is empty for so long was left by a process that ended before it wrote its id. */
const EMPTY_LOCK_MS = 10_000;

// Not `npm ci`: it refuses a lock file from a registry that lacks the optional packages of some platforms. This command
// installs the same versions and does not change the lock file. Install scripts are off, because they would download
// binaries that Moraine does not use.
const INSTALL = ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

if (!isInstalled() || !isGenerated()) {
  takeLock();
  try {
    if (!isInstalled()) run("Installing dependencies (first run only) …", "npm", INSTALL);
    if (!isGenerated()) generate();
  } finally {
    rmSync(lock, { force: true });
  }
}

function isInstalled() {
  const installed = statSync(at("node_modules", ".package-lock.json"), { throwIfNoEntry: false });
  const hasAll = process.env.NODE_ENV === "production" || existsSync(at("node_modules", "jest"));
  return hasAll && installed !== undefined && installed.mtimeMs >= statSync(at("package-lock.json")).mtimeMs;
}

function isGenerated() {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === schemaHash();
}

function schemaHash() {
  return createHash("sha256").update(readFileSync(schema)).digest("hex");
}

function generate() {
  const hash = schemaHash();
  run("Installing the generator of the database client …", "npm", [...INSTALL, "--prefix", generator]);
  const program = join(generator, "node_modules", "prisma", "build", "index.js");
  // The generator reads the tsconfig.json of the folder for which it generates, or of one above it. That of the project has a base that only
  // installations with development dependencies have; that of this folder has none.
  copyFileSync(schema, join(generator, "schema.prisma"));
  const args = [program, "generate", "--no-hints", "--schema", "schema.prisma"];
  const env = {
    // The generator checks that a native engine exists but does not run it, so any executable works.
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: "1",
    CHECKPOINT_DISABLE: "1",
  };
  run("Generating the database client …", process.execPath, args, env, generator);
  rmSync(client, { recursive: true, force: true });
  renameSync(join(generator, "client"), client);
  rmSync(join(generator, "schema.prisma"));
  rmSync(join(generator, "node_modules"), { recursive: true });
  writeFileSync(stamp, hash);
}

function run(message, file, args, env = {}, cwd = root) {
  console.error(message);
  const isWindows = process.platform === "win32";
  execFileSync(file, args, { cwd, stdio: ["ignore", 2, 2], env: { ...process.env, ...env }, shell: isWindows });
}

/** Waits until no other process installs or generates, such as another first start at the same time. */
function takeLock() {
  for (let isTold = false; ; isTold = true) {
    try {
      writeFileSync(lock, String(process.pid), { flag: "wx" });
      return;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const owner = lockOwner();
    if (owner !== undefined && !isRunning(owner)) rmSync(lock, { force: true });
    if (!isTold) console.error("Waiting for another process, which installs Moraine in this folder …");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS);
  }
}

/** The process that has the lock; 0 if it will never write its id. Undefined while a process writes or removes the lock. */
function lockOwner() {
  try {
    const pid = Number(readFileSync(lock, "utf8"));
    return pid || (Date.now() - statSync(lock).mtimeMs > EMPTY_LOCK_MS ? 0 : undefined);
  } catch {
    return undefined;
  }
}

function isRunning(pid) {
  if (pid === 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}
