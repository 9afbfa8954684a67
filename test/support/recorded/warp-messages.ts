import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseHex } from "../../../indexer/primary/fetch/checked-hex.ts";
import { resultsIn } from "./primary-vectors.ts";

const FILES = ["c-warp", "l1-warp"] as const;

/** The unsigned messages that the nodes of a recording returned for messages of its EVM chains. */
export function recordedMessages(folder: string): Buffer[] {
  const files = FILES.filter((file) => existsSync(join(folder, `${file}.jsonl.gz`)));
  return files.flatMap((file) =>
    resultsIn(folder, file, "warp_getMessage").map(({ text }) => Buffer.from(parseHex(JSON.parse(text), file))),
  );
}
