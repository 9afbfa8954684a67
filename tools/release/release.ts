// `node --import tsx tools/release/release.ts DIRECTORY` writes an installation that runs without npm, for an image: the bundles, the files
// of this folder that they read, and the packages that are not bundled. The bundles contain the path of this folder, so the
// installation must be moved to this path.
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { bundle } from "../build/bundle.mjs";
import { RELEASED_BUILD, ROOT } from "../build/directories.mjs";
import { EXTERNAL } from "../build/options.mjs";
import { createResolver, type LockedPackage, parseLockFile } from "../supply/lock-file.ts";

/** Writes bundles, and is not needed after that. */
const BUNDLER = "esbuild";

const [, , directory] = process.argv;
if (!directory) throw new Error("give the directory of the installation");

const released = join(directory, relative(ROOT, RELEASED_BUILD));
await bundle(released, RELEASED_BUILD);
cpSync(ROOT, directory, { recursive: true, filter: isNeeded });
// Source maps are of no use at run time, and those of files for browsers are larger than the files.
const filter = (path: string): boolean => !path.endsWith(".map");
for (const path of unbundledPackages()) cpSync(join(ROOT, path), join(directory, path), { recursive: true, filter });

/** All files are needed but sources, which are in the bundles, and packages. */
function isNeeded(path: string): boolean {
  const name = relative(ROOT, path);
  return !/^(node_modules|\.build|prisma\/client)$|\.m?ts$/.test(name);
}

/** The folders of the packages that bundles load, and of those that these load. Packages of other platforms are not installed. */
function unbundledPackages(): Set<string> {
  const { dependencies, packages } = parseLockFile(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const resolve = createResolver(packages);
  const names = dependencies.filter((name) => EXTERNAL.includes(name) || EXTERNAL.includes(name.replace(/\/.*/, "/*")));
  const found = new Set<string>();
  const add = ({ path, dependencies: own }: Pick<LockedPackage, "path" | "dependencies">): void => {
    if (found.has(path) || !existsSync(join(ROOT, path))) return;
    found.add(path);
    resolve(path, own).forEach(add);
  };
  resolve(
    "",
    names.filter((name) => name !== BUNDLER),
  ).forEach(add);
  return found;
}
