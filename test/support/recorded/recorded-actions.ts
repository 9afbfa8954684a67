import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { ALPHA } from "../../../recordings/replay-node.ts";

/** Something that was done on an EVM chain when the recording was made, and what its author meant it to do. */
export interface RecordedAction {
  readonly label: string;
  readonly chain: "c" | "l1";
  /** Hash of its transaction. */
  readonly txID: string;
  readonly meaning: string;
  /** Absent keys: not claimed. */
  readonly expected: Readonly<Record<string, unknown>>;
}

/** The actions on an EVM chain of the alpha recording, in the order in which they were done. */
export function recordedActions(name: "c" | "l1"): RecordedAction[] {
  return gunzipSync(readFileSync(join(ALPHA, "activity.jsonl.gz")))
    .toString()
    .split("\n")
    .filter(Boolean)
    .map((line): RecordedAction => JSON.parse(line))
    .filter(({ chain }) => chain === name);
}
