import { parse } from "csv-parse/sync";
import { createPartEncoder } from "./part-encoder.ts";

/** Cells that CSV must quote or that a spreadsheet could take for a formula, and what the file has instead. */
const CELLS: readonly (readonly [string, string])[] = [
  ["line\nfeed", "line\nfeed"],
  ["carriage\rreturn", "carriage\rreturn"],
  ["both\r\nof them", "both\r\nof them"],
  ["\n=1+1", "\n'=1+1"],
  ["\r=1+1", "'\r'=1+1"],
  ["\t=1+1", "'\t'=1+1"],
  ["a;=1+1", "a;'=1+1"],
  ["a\t+1", "a\t'+1"],
  ["a\n-1", "a\n'-1"],
  ["a\r\n@SUM(A1)", "a\r\n'@SUM(A1)"],
  ["a;＝1;b;＠x", "a;'＝1;b;'＠x"],
  ['a;"=1+1"', `a;'"=1+1"`],
  ["a;  =1+1", "a;'  =1+1"],
  [";;=1", ";;'=1"],
  ["=1;=2", "'=1;'=2"],
  ["a;b=1", "a;b=1"],
  ["avax1a;avax1b", "avax1a;avax1b"],
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ['=HYPERLINK("http://x","y")', `'=HYPERLINK("http://x","y")`],
  ['"=1+1', '"=1+1'],
  ["a,b;c", "a,b;c"],
  ["", ""],
  ["＝1+1", "'＝1+1"],
  [" spaces around ", " spaces around "],
  ["NUL \0, Ünïcödé 🜂", "NUL \0, Ünïcödé 🜂"],
  // Half of a surrogate pair is no character: UTF-8 cannot have it.
  ["half \ud83d", "half \ufffd"],
  ["\ufffd\u2028 \u0085", "\ufffd\u2028 \u0085"],
  ['quotes "inside" and "', 'quotes "inside" and "'],
  [" spaces around ", " spaces around "],
  ["NUL \0 and \u2028", "NUL \0 and \u2028"],
  ["\ufeffmark", "\ufeffmark"],
  ["Ünïcödé 🜂", "Ünïcödé 🜂"],
  // Half of a surrogate pair is no character: UTF-8 cannot have it.
  ["half \ud83d", "half \ufffd"],
  ["＝1", "'＝1"],
  ["'=1", "'=1"],
  ["a=1", "a=1"],
];

async function encoded(rows: readonly (readonly string[])[]): Promise<string> {
  const encoder = createPartEncoder({ compression: "NONE" });
  await encoder.add(rows);
  return Buffer.from(await encoder.take()).toString("utf8");
}

describe("the CSV of an export", () => {
  it.each(CELLS)("keeps the cell %j in one cell of one row, and no formula", async (cell, expected) => {
    const text = await encoded([["1", cell, "end"]]);
    // Without a delimiter of records, the parser takes the first line end that is not quoted.
    for (const options of [{}, { record_delimiter: ["\r\n", "\n", "\r"] }])
      expect(parse(text, options)).toEqual([["1", expected, "end"]]);
  });

  it("begins with a byte order mark if the file has one; later parts have none, and formulas stay text", async () => {
    const encoder = createPartEncoder({ compression: "NONE", byteOrderMark: true });
    const part = async () => Buffer.from(await encoder.take()).toString("utf8");
    await encoder.begin(["Name"]);
    await encoder.add([["=1"]]);
    expect(await part()).toBe("\ufeffName\r\n'=1\r\n");
    await encoder.add([["=2"]]);
    expect(await part()).toBe("'=2\r\n");
  });

  it("ends each line with CRLF, also the last one", async () => {
    expect(await encoded([["a"], ["b"]])).toBe("a\r\nb\r\n");
  });
});
