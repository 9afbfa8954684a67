const { existsSync, readFileSync } = require("node:fs");
const { SourceMap } = require("node:module");
const { dirname, resolve } = require("node:path");
const { fileURLToPath } = require("node:url");

/** A position in a bundle, in a stack trace. */
const POSITION = /(file:\/\/[^\s()]+?\.mjs)(?:\?run=\d+)?:(\d+):(\d+)/g;
const maps = new Map();

function mapOf(file) {
  if (!maps.has(file)) {
    const path = `${file}.map`;
    maps.set(file, existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, "utf8"))) : null);
  }
  return maps.get(file);
}

/** Replaces positions in bundles by those in the sources. */
function mapStack(stack) {
  return stack.replace(POSITION, (position, url, line, column) => {
    const file = fileURLToPath(url);
    const { originalSource, originalLine, originalColumn } = mapOf(file)?.findEntry(line - 1, column - 1) ?? {};
    if (!originalSource) return position;
    return `${resolve(dirname(file), originalSource)}:${originalLine + 1}:${originalColumn + 1}`;
  });
}

/** Gives an error and its causes the positions in the sources. */
function mapError(error) {
  for (let one = error; one instanceof Error && typeof one.stack === "string"; one = one.cause) {
    const stack = mapStack(one.stack);
    if (stack === one.stack) continue;
    Object.defineProperty(one, "stack", { value: stack, configurable: true, writable: true });
  }
}

/** Gives the errors of a finished test file the positions in the sources. */
function mapFailures({ rootDescribeBlock, unhandledErrors }) {
  for (const error of [...unhandledErrors, ...failuresIn(rootDescribeBlock)].flat()) mapError(error);
}

function failuresIn({ children }) {
  return children.flatMap((child) => (child.type === "test" ? child.errors : failuresIn(child)));
}

module.exports = { mapError, mapFailures };
