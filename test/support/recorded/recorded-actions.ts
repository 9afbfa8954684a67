import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { ALPHA } from "../../../recordings/replay-node.ts";

/** An action on a recorded EVM chain, with the values that its author expected. */
export interface RecordedAction {
  readonly label: string;
  readonly chain: "c" | "l1";
  /** Hash of its transaction. */
  readonly txID: string;
  readonly meaning: string;
  /** Absent keys have no expected value. */
  readonly expected: Readonly<Record<string, unknown>>;
}

/** The actions on an EVM chain of the recording alpha, in order. */
export function recordedActions(name: "c" | "l1"): RecordedAction[] {
  return gunzipSync(readFileSync(join(ALPHA, "activity.jsonl.gz")))
    .toString()
    .split("\n")
    .filter(Boolean)
    .map((line): RecordedAction => JSON.parse(line))
    .filter(({ chain }) => chain === name);
}
