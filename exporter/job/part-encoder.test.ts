import { parse } from "csv-parse/sync";
import { createPartEncoder } from "./part-encoder.ts";

/** A text cell, and what a reader of the file gets. */
const CELLS: readonly (readonly [text: string, read: string])[] = [
  ['quotes "inside" and "', 'quotes "inside" and "'],
  ["one, two; three", "one, two; three"],
  ["lines\r\nand\nmore\r", "lines\r\nand\nmore\r"],
  [" spaces around ", " spaces around "],
  ["NUL \0 and \u2028", "NUL \0 and \u2028"],
  ["\ufeffmark", "\ufeffmark"],
  ["Ünïcödé 🜂", "Ünïcödé 🜂"],
  // Half of a surrogate pair is no character: UTF-8 cannot have it.
  ["half \ud83d", "half \ufffd"],
  ["", ""],
  ...["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "＝1"].map((text) => [text, `'${text}`] as const),
  ["'=1", "'=1"],
  ["a=1", "a=1"],
];

it("a reader of the file gets each text, with an apostrophe before one that a spreadsheet would calculate", async () => {
  const encoder = createPartEncoder("NONE");
  await encoder.add([["first", "second"], ...CELLS.map(([text]) => [text, "0"])]);
  const bytes = Buffer.from(await encoder.take());
  expect(bytes.toString("utf8")).toBe(new TextDecoder("utf8", { fatal: true, ignoreBOM: true }).decode(bytes));
  expect(parse(bytes)).toEqual([["first", "second"], ...CELLS.map(([, read]) => [read, "0"])]);
});
