// `npm run check`: types, format and lint, and generated files in parallel. The comparison of the schema with the last release and the tests
// start when the generated files have been checked, because all need the build of the product, and run beside the other steps. The output of
// these steps is printed when they end, and their results again after the tests. The exit code is 1 if a step failed.
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

// The tests run beside it, so it should take little processor time. Several checkers each need the types that they share, and each
// collection of garbage marks the whole heap of a gigabyte: without these settings, it takes twice as long.
const TYPES = ["types", "tsc", ["--noEmit", "--checkers", "1"], { GOGC: "400" }];
const EXAMPLES = ["types of the examples", "tsc", ["--noEmit", "--checkers", "1", "-p", "examples"]];
const FORMAT = ["format and lint", "biome", ["check", "--error-on-warnings", "."]];
const GENERATED = ["generated files", "node", ["commands/run.mjs", "generate", "--check"]];
const SCHEMA = ["schema", "node", ["commands/run.mjs", "check-release"]];
const TESTS = ["tests", "npm", ["test", "--ignore-scripts"]];

/** Runs one step; prints its output unless it has printed it itself. Resolves to its result. */
function step([name, file, args, settings], stdio) {
  const env = { ...process.env, ...settings, PATH: `${join(root, "node_modules", ".bin")}:${process.env.PATH}` };
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
      const text = `${name}: ${code === 0 ? "passed" : "failed"} in ${seconds} s`;
      console.error(`${output}${text}`);
      done({ text, isPassed: code === 0 });
    });
  });
}

const printed = ["ignore", "pipe", "pipe"];
const [types, examples, format, generated] = [TYPES, EXAMPLES, FORMAT, GENERATED].map((one) => step(one, printed));
await generated;
const schema = step(SCHEMA, printed);
const results = await Promise.all([types, examples, format, generated, schema, step(TESTS, "inherit")]);
console.error(results.map(({ text }) => text).join("\n"));
process.exitCode = results.every(({ isPassed }) => isPassed) ? 0 : 1;
