// `node --import ./build/source-positions.mjs …`: stack traces have the positions in the sources instead of those in the bundles.
// `--enable-source-maps` of Node.js does the same, but keeps the source map of each loaded file in memory: 20 MB in the process of
// the API. This module reads the map of a file when a stack trace that names the file is read for the first time.
import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

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
    const { originalSource, originalLine, originalColumn } = mapOf(file)?.findEntry(line - 1, column - 1) ?? {};
    if (!originalSource) return position;
    return `${resolve(dirname(file), originalSource)}:${originalLine + 1}:${originalColumn + 1}`;
  });
}

/** Null if the file has no map, or if the map cannot be read: the error that is being described matters more. */
function mapOf(file) {
  if (!maps.has(file)) maps.set(file, readMap(`${file}.map`));
  return maps.get(file);
}

function readMap(path) {
  try {
    return existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, "utf8"))) : null;
  } catch {
    return null;
  }
}
