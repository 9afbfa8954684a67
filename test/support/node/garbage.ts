import { elementsOf, membersOf } from "../../../recordings/json-text.ts";

/** Ways to spoil a whole body. The last four spoil batches only. */
export type Garbage = keyof typeof GARBAGE;

/** What to send for a good body, by kind of garbage; status and content type stay good. */
export const GARBAGE = {
  /** A proxy's page with status 200. */
  html: () => "<html><body><h1>Welcome to nginx!</h1></body></html>",
  /** JSON that stops in the middle. */
  truncated: (body: string) => body.slice(0, Math.floor(body.length / 2)),
  empty: () => "",
  /** The last answer of a batch is not there. */
  missingAnswer: ofBatch((answers) => answers.slice(0, -1)),
  /** Answers backwards, each with its own id: allowed by JSON-RPC. */
  reordered: ofBatch((answers) => answers.toReversed()),
  /** Answers in order, but each with the id of another. */
  permutedIds: ofBatch((answers) => answers.map((answer, at) => withIdOf(answer, answers.at(at - 1)))),
  /** All answers have the id of the first. */
  duplicateIds: ofBatch((answers) => answers.map((answer) => withIdOf(answer, answers[0]))),
} as const;

function ofBatch(spoil: (answers: string[]) => string[]): (body: string) => string {
  return (body) => (body.startsWith("[") ? `[${spoil(elementsOf(body)).join()}]` : body);
}

function withIdOf(answer: string, other = answer): string {
  const members = membersOf(answer).set("id", membersOf(other).get("id") ?? "null");
  return `{${[...members].map(([name, text]) => `"${name}":${text}`).join()}}`;
}
