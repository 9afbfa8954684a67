import { BUILD_VARIABLE, BUNDLES } from "../../test/support/bundled.ts";
import startServer from "../../test/support/database/global-setup.ts";
import { createRunFolder, inRunFolder } from "../../test/support/run-folder.ts";
import { buildDirectory, noteUse } from "../build/directories.mjs";
import { bundleTests } from "./bundle-tests.mjs";

/**
 * How much the heap of esbuild, a program in Go, grows in per cent before it collects garbage. With the default of 100, collections take
 * a quarter of the processor time of the bundling.
 */
const HEAP_GROWTH = "400";

/** Creates what is made once in a run: the build of the product, the bundles of the tests, the server of their databases. */
export default async function setUp() {
  globalThis.moraineRemoveRunFolder = createRunFolder();
  process.env.GOGC ??= HEAP_GROWTH;
  const directory = buildDirectory();
  process.env[BUILD_VARIABLE] = directory;
  const built = import("../build/build.mjs").then(() => noteUse(directory));
  await Promise.all([built, bundleTests(inRunFolder(BUNDLES), directory), startServer()]);
}
