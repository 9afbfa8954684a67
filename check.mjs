// `npm run check`: format and lint, types and generated files in parallel, then all tests. The output of a step is
// printed when it ends; the exit code is 1 if a step failed.
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));

const STATIC_STEPS = [
  ["types", "tsc", ["--noEmit"]],
  ["format and lint", "biome", ["check", "--error-on-warnings", "."]],
  ["generated files", "node", ["run.mjs", "generate.ts", "--check"]],
];

/** Runs one step; resolves to true if it succeeds. */
function step([name, file, args], stdio) {
  const env = { ...process.env, PATH: `${join(root, "node_modules", ".bin")}:${process.env.PATH}` };
  const startedAt = performance.now();
  const child = spawn(file, args, { cwd: root, env, stdio });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8");
    stream?.on("data", (text) => {
      output += text;
    });
  }
  return new Promise((done) => {
    child.on("error", (error) => {
      output += `${error.message}\n`;
    });
    child.on("close", (code) => {
      const seconds = Math.round((performance.now() - startedAt) / 1_000);
      console.error(`${output}${name}: ${code === 0 ? "passed" : "failed"} in ${seconds} s`);
      done(code === 0);
    });
  });
}

const results = await Promise.all(STATIC_STEPS.map((one) => step(one, ["ignore", "pipe", "pipe"])));
const tests = await step(["tests", "npm", ["test", "--ignore-scripts"]], "inherit");
process.exitCode = [...results, tests].every(Boolean) ? 0 : 1;
