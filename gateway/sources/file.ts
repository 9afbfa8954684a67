import { readFile } from "node:fs/promises";
import { createChanges, type SupergraphSource } from "./source.ts";

export function createFileSource(path: string): SupergraphSource {
  const changed = createChanges();
  return { isLocal: true, load: async () => changed(await readFile(path, "utf8")) };
}
