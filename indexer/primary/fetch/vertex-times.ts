import { quoted } from "../../../core/errors/errors.ts";
import { parseIdText } from "../../../core/formats/id-text.ts";
import { readSettingsFile } from "../network/settings-file.ts";

/** Acceptance times of vertices, in seconds since the epoch, by vertex id (hex). */
export type VertexTimes = ReadonlyMap<string, number>;

/**
 * Reads the file of lines `<vertex id> <seconds>`, whose times replace those of the node. Returns an empty map without a file.
 * Throws `UnusableFile`.
 */
export async function readVertexTimes(file: string | undefined): Promise<VertexTimes> {
  if (file === undefined) return new Map();
  return readSettingsFile("vertexTimesFile", file, parseVertexTimes);
}

function parseVertexTimes(text: string): VertexTimes {
  const times = new Map<string, number>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const [id = "", seconds = "", ...more] = line.trim().split(/[\s,]+/);
    const vertex = parseIdText(id);
    if (vertex === null || !/^\d{1,11}$/.test(seconds) || more.length > 0)
      throw new Error(
        `line ${index + 1} must be a vertex id and a time in seconds since the epoch, got ${quoted(line)}`,
      );
    times.set(vertex, Number(seconds));
  }
  return times;
}
