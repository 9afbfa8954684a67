import { quoted } from "../../../core/errors.ts";
import { parseIdText } from "../../../core/id-text.ts";
import { fromSettingsFile } from "../network/settings-file.ts";

/** When vertices were accepted, in seconds since the epoch, by id (hex). */
export type VertexTimes = ReadonlyMap<string, number>;

/** Times that the settings know better than the node: a file of lines `<vertex id> <seconds>`. Throws `UnusableFile`. */
export async function readVertexTimes(file: string | undefined): Promise<VertexTimes> {
  if (file === undefined) return new Map();
  return fromSettingsFile("the file of vertex times that the settings name cannot be used", file, parseVertexTimes);
}

function parseVertexTimes(text: string): VertexTimes {
  const times = new Map<string, number>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const [id = "", seconds = "", ...more] = line.trim().split(/[\s,]+/);
    const vertex = parseIdText(id);
    if (vertex === null || !/^\d{1,11}$/.test(seconds) || more.length > 0)
      throw new Error(`line ${index + 1} must be a vertex id and seconds since the epoch, got ${quoted(line)}`);
    times.set(vertex, Number(seconds));
  }
  return times;
}
