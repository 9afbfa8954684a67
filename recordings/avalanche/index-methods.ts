import { type Answer, Refusal, resultOf } from "../answers.ts";
import type { Recording } from "../recording.ts";

/** The most containers that a node hands out at once. */
const MAX_RANGE = 1024;
const BY_INDEX = "index.getContainerByIndex";

/** A call to one index of a node, such as `/ext/index/P/block`. */
export interface IndexCall {
  readonly recording: Recording;
  readonly path: string;
  readonly params: Record<string, unknown>;
  /** How many containers are visible; null: all that were recorded. */
  readonly length: number | null;
}

/** Methods of the index API, composed from the recorded single containers (in `hex`), word for word. */
export const INDEX_METHODS = new Map<string, (call: IndexCall) => Answer>([
  [BY_INDEX, (call) => resultOf(containerAt(call, Number(call.params["index"] ?? 0)))],
  ["index.getContainerByID", (call) => resultOf(containerAt(call, positionOf(call)))],
  ["index.getContainerRange", range],
  ["index.getLastAccepted", (call) => resultOf(containers(call).at(-1)?.text ?? "")],
  ["index.getIndex", (call) => resultOf(`{"index":"${positionOf(call)}"}`)],
  [
    "index.isAccepted",
    (call) => resultOf(`{"isAccepted":${containers(call).some(({ id }) => id === call.params["id"])}}`),
  ],
]);

interface Container {
  readonly id: string;
  readonly text: string;
}

function range(call: IndexCall): Answer {
  const start = Number(call.params["startIndex"] ?? 0);
  const count = Number(call.params["numToFetch"] ?? 0);
  if (count < 1 || count > MAX_RANGE) {
    throw new Refusal(-32000, `numToFetch must be in [1,${MAX_RANGE}] but is ${count}`);
  }
  const all = containers(call);
  if (start >= all.length) {
    throw new Refusal(-32000, `start index (${start}) > last accepted index (${all.length - 1})`);
  }
  const texts = all.slice(start, start + count).map(({ text }) => text);
  return resultOf(`{"containers":[${texts.join()}]}`);
}

function containerAt(call: IndexCall, position: number): string {
  const container = containers(call)[position];
  if (!container) throw new Refusal(-32000, `no container at index ${position}`);
  return container.text;
}

function positionOf(call: IndexCall): number {
  const position = containers(call).findIndex(({ id }) => id === call.params["id"]);
  if (position < 0) throw new Refusal(-32000, "not found");
  return position;
}

/** The visible containers by index; a chain without any refuses as recorded. */
function containers({ recording, path, length }: IndexCall): Container[] {
  const all = recording.calls(path, BY_INDEX).filter(({ kind }) => kind === "result");
  const found = all.slice(0, length ?? all.length);
  if (found.length === 0) throw new Refusal(-32000, "no containers have been accepted");
  return found.map(({ text }) => ({ text, id: /^\{"id":"([^"]*)"/.exec(text)?.[1] ?? "" }));
}
