// Runs before `npm start` and `npm test`. Installs the locked dependencies if they are missing or older than the lock
// file, and generates the Prisma client if the schema changed. Needs only Node.js.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const at = (...parts) => join(root, ...parts);

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Moraine needs Node.js 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

function run(message, file, args, env = {}) {
  console.error(message);
  const isWindows = process.platform === "win32";
  execFileSync(file, args, { cwd: root, stdio: ["ignore", 2, 2], env: { ...process.env, ...env }, shell: isWindows });
}

const installed = at("node_modules", ".package-lock.json");
if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(at("package-lock.json")).mtimeMs) {
  // Not `npm ci`: it refuses a lock file from a registry that lacks the optional packages of some platforms. This command
  // installs the same versions and does not change the lock file. Install scripts are off, because they would download
  // binaries that Moraine does not use.
  const options = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  run("Installing dependencies (first run only) …", "npm", ["install", ...options]);
}

const schema = readFileSync(at("prisma", "schema.prisma"));
const stamp = at("prisma", "client", ".schema-sha256");
const hash = createHash("sha256").update(schema).digest("hex");
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== hash) {
  // The generator checks that a native engine exists but does not run it, so any executable works.
  const env = {
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: "1",
    CHECKPOINT_DISABLE: "1",
  };
  run(
    "Generating the database client …",
    process.execPath,
    [at("node_modules", "prisma", "build", "index.js"), "generate", "--no-hints"],
    env,
  );
  writeFileSync(stamp, hash);
}
