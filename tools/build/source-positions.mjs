// `node --import ./tools/build/source-positions.mjs …`: stack traces have the positions in the sources instead of those in the bundles.
// `--enable-source-maps` of Node.js does the same, but keeps the source map of each loaded file in memory: 20 MB in the process of
// the API. This module reads the map of a file when a stack trace that names the file is read for the first time. Some libraries read the
// stack trace of every failure, even if nobody prints it.
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { linesFile, parseSourceMap } from "./source-map.mjs";

/** A position in a bundle. */
const POSITION = /(file:\/\/\S+?\.mjs)(?:\?[^:]*)?:(\d+):(\d+)/g;
const maps = new Map();

Error.prepareStackTrace = (error, frames) =>
  [titleOf(error), ...frames.map((frame) => `    at ${mapped(frame)}`)].join("\n");

/** As Node.js does: errors of graphql have a `toString` of their own, which adds lines of the caller's document. */
function titleOf(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return "<error>";
  }
}

function mapped(frame) {
  return String(frame).replace(POSITION, (position, url, line, column) => {
    const file = fileURLToPath(url);
    const found = mapOf(file)?.(line - 1, column - 1);
    return found ? `${resolve(dirname(file), found.source)}:${found.line + 1}:${found.column + 1}` : position;
  });
}

/** The function that finds positions. Null if the file has no map, or if the map cannot be read: the error that is being described matters more. */
function mapOf(file) {
  if (!maps.has(file)) maps.set(file, readMap(`${file}.map`));
  return maps.get(file);
}

function readMap(path) {
  try {
    if (!existsSync(path)) return null;
    const lines = linesFile(path);
    return parseSourceMap(readFileSync(path, "utf8"), existsSync(lines) ? readFileSync(lines) : undefined);
  } catch {
    return null;
  }
}
