import { buildDirectory, noteUse } from "../../build/directories.mjs";
import { BUILD_VARIABLE, BUNDLES } from "../support/bundled.ts";
import startServer from "../support/database/global-setup.ts";
import { createRunFolder, inRunFolder } from "../support/run-folder.ts";
import { bundleTests } from "./bundle-tests.mjs";

/** Creates what is made once in a run: the build of the product, the bundles of the tests, the server of their databases. */
export default async function setUp() {
  globalThis.moraineRemoveRunFolder = createRunFolder();
  const directory = buildDirectory();
  process.env[BUILD_VARIABLE] = directory;
  const built = import("../../build/build.mjs").then(() => noteUse(directory));
  await Promise.all([built, bundleTests(inRunFolder(BUNDLES), directory), startServer()]);
}
