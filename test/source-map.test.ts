import { SourceMap } from "node:module";
import { build } from "esbuild";
import { findLines, parseSourceMap } from "../tools/build/source-map.mjs";

/** The source map of a bundle of several packages, without spaces, so that lines of the bundle have many segments. */
async function bundleMap(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: 'export * from "graphql"; export * from "graphql-ws"; export { z } from "zod";',
      resolveDir: ".",
    },
    bundle: true,
    format: "esm",
    platform: "node",
    minifyWhitespace: true,
    sourcemap: "external",
    sourcesContent: false,
    outfile: "bundle.mjs",
    write: false,
  });
  return outputFiles.find(({ path }) => path.endsWith(".map"))?.text ?? "";
}

it("a source map has the positions that Node.js finds in it", async () => {
  const text = await bundleMap();
  const find = parseSourceMap(text, findLines(text));
  const lines = JSON.parse(text).mappings.split(";").length;
  const ofNode = new SourceMap(JSON.parse(text));
  let compared = 0;
  for (let line = 0; line < lines; line++)
    for (const column of [0, 1, 3, 7, 20, 60, 150, 400, 20_000]) {
      const entry = ofNode.findEntry(line, column);
      // Without a segment in the line, Node.js returns one of an earlier line.
      if (!("generatedLine" in entry) || entry.generatedLine !== line) continue;
      const { originalSource: source, originalLine, originalColumn } = entry;
      expect(find(line, column)).toEqual({ source, line: originalLine, column: originalColumn });
      compared++;
    }
  expect(compared).toBeGreaterThan(1_000);
});

it("a source map has no position for lines and columns without a segment", () => {
  const find = parseSourceMap(JSON.stringify({ sources: ["a.ts"], mappings: ";IAAA,K" }));
  expect([find(0, 3), find(1, 3), find(1, 5), find(1, 9), find(2, 0)]).toEqual([
    null,
    null,
    { source: "a.ts", line: 0, column: 0 },
    null,
    null,
  ]);
});
