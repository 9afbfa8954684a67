import { elementsOf, membersOf } from "../../../recordings/json-text.ts";

/** Ways to change a body. All except `reordered` make it wrong. The last four apply to batches only. */
export type Garbage = keyof typeof GARBAGE;

/** Returns the body to send instead. Status and content type stay as they are. */
export const GARBAGE = {
  /** The HTML page of a proxy, with status 200. */
  html: () => "<html><body><h1>Welcome to nginx!</h1></body></html>",
  /** Truncated JSON. */
  truncated: (body: string) => body.slice(0, Math.floor(body.length / 2)),
  empty: () => "",
  /** The last answer of a batch is missing. */
  missingAnswer: ofBatch((answers) => answers.slice(0, -1)),
  /** Answers in reverse order, each with its own id, which JSON-RPC allows. */
  reordered: ofBatch((answers) => answers.toReversed()),
  /** Answers in order, but with the ids of other calls. */
  permutedIds: ofBatch((answers) => answers.map((answer, at) => withIdOf(answer, answers.at(at - 1)))),
  /** All answers have the id of the first call. */
  duplicateIds: ofBatch((answers) => answers.map((answer) => withIdOf(answer, answers[0]))),
} as const;

function ofBatch(change: (answers: string[]) => string[]): (body: string) => string {
  return (body) => (body.startsWith("[") ? `[${change(elementsOf(body)).join()}]` : body);
}

function withIdOf(answer: string, other = answer): string {
  const members = membersOf(answer).set("id", membersOf(other).get("id") ?? "null");
  return `{${[...members].map(([name, text]) => `"${name}":${text}`).join()}}`;
}
