import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { TEST_SCRIPTS } from "../../test/support/bundled.ts";
import { ROOT } from "../build/directories.mjs";
import { bundleOptions } from "../build/options.mjs";

/** Packages that only tests use. They are big, start threads, or read the names of their files. */
const EXTERNAL = [
  "@graphql-eslint/eslint-plugin",
  "@prisma/schema-engine-wasm",
  "eslint",
  "puppeteer-core",
  "s3rver",
  "solc",
  "tsx",
  "typescript",
];

/**
 * Bundles all test files, and the scripts that only tests start, into a folder. What several of them import becomes a file that
 * they share, so the test files of a worker still load each module once. Node reads these files in a fifth of the time that it
 * needs to resolve, transpile and read the modules one by one.
 */
export async function bundleTests(outdir, scriptDirectory) {
  const entryPoints = [...TEST_SCRIPTS, ...(await testFiles())];
  await build(bundleOptions({ entryPoints, outdir, scriptDirectory, external: EXTERNAL }));
}

async function testFiles() {
  const top = await readdir(ROOT, { withFileTypes: true });
  const folders = top.filter((entry) => entry.isDirectory() && !/^(node_modules|\.)/.test(entry.name));
  const files = await Promise.all(folders.map(({ name }) => readdir(join(ROOT, name), { recursive: true })));
  return files.flatMap((names, index) =>
    names
      .filter((name) => name.endsWith(".test.ts") && !name.includes("node_modules"))
      .map((name) => join(folders[index].name, name)),
  );
}
