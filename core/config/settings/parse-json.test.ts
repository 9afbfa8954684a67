import { createRandomIntegers } from "../../../test/support/random.ts";
import { messageOf } from "../../errors/errors.ts";
import { parseSettingsJson, requireJson } from "./parse-json.ts";

function mistakeIn(text: string): string | null {
  try {
    requireJson(text);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

const NUMBER = "this number is not written as in JSON: write decimal digits, without + and without zeros before them";
const NO_JSON =
  "this is not JSON: write a name or a text in double quotes, or a number, true, false, null, an object or a list";
const QUOTE = 'JSON has only double quotes: write " instead of this quote';
const SECOND = "nothing may follow the end of the value: the file must have one value";
const AT_COMMENT = "JSON has no comments: remove this one";
const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

describe("a mistake in JSON is named by line, column and kind", () => {
  it.each<[text: string, position: string, what: string]>([
    ['{\n  "a": 1\n  "b": 2\n}', "line 3, column 3", "a comma is missing before this"],
    ['{ "a": [1\n2] }', "line 2, column 1", "a comma is missing before this"],
    ["[1 {}]", "line 1, column 4", "a comma is missing before this"],
    ['{ "a": 1; "b": 2 }', "line 1, column 9", NO_JSON],
    ["[true; false]", "line 1, column 2", NO_JSON],
    ['{\r\n "a": 1,\r\n}', "line 3, column 1", "the comma before this has nothing behind it: remove it"],
    ["[1, 2,\n]", "line 2, column 1", "the comma before this has nothing behind it: remove it"],
    ['{ "a": 1,, "b": 2 }', "line 1, column 10", "the comma before this has nothing behind it: remove it"],
    ["[1,,2]", "line 1, column 4", "the comma before this has nothing behind it: remove it"],
    ["[,1]", "line 1, column 2", "a value is missing before this"],
    ["{,}", "line 1, column 2", "a value is missing before this"],
    ['{ "a": 1 } // end', "line 1, column 12", AT_COMMENT],
    ['{\n  /* one */ "a": 1 }', "line 2, column 3", AT_COMMENT],
    ["{ /* open", "line 1, column 3", AT_COMMENT],
    ['# settings\n{ "a": 1 }', "line 1, column 1", AT_COMMENT],
    ["{ 'a': 1 }", "line 1, column 3", QUOTE],
    ["{ \"a\": 'b' }", "line 1, column 8", QUOTE],
    ['{ \u201ca\u201d: "b" }', "line 1, column 3", QUOTE],
    ['{ "a": `b` }', "line 1, column 8", QUOTE],
    ['{ "a": "b\n}', "line 1, column 8", "the closing quote of this text is missing"],
    ['{ "a: 1 }', "line 1, column 3", "the closing quote of this text is missing"],
    ['{ "a": "\\x" }', "line 1, column 8", "in this text, a backslash begins no escape: write \\\\ for a backslash"],
    [
      '{ "a": "C:\\Users" }',
      "line 1, column 8",
      "in this text, a backslash begins no escape: write \\\\ for a backslash",
    ],
    ['["\\u12g4"]', "line 1, column 2", "in this text, \\u must be followed by four hex digits"],
    [
      '["a\tb"]',
      "line 1, column 2",
      "this text contains a tab or another control character: write \\t or another escape",
    ],
    ['{ "é😀": [ 1, { "a": 2 }', "line 1, column 9", "this [ is never closed: the file ends before that"],
    ["{", "line 1, column 1", "this { is never closed: the file ends before that"],
    ['{ "a"', "line 1, column 1", "this { is never closed: the file ends before that"],
    ['{ "a":\n', "line 1, column 1", "this { is never closed: the file ends before that"],
    ['{ "a": [1, ', "line 1, column 8", "this [ is never closed: the file ends before that"],
    ["[1}", "line 1, column 3", "the [ at line 1, column 1 must be closed before this }"],
    ['{ "a": [1 }', "line 1, column 11", "the [ at line 1, column 8 must be closed before this }"],
    ['{ "a": 1 ]', "line 1, column 10", "the { at line 1, column 1 must be closed before this ]"],
    ["{]", "line 1, column 2", "the { at line 1, column 1 must be closed before this ]"],
    ["{}}", "line 1, column 3", SECOND],
    ["]", "line 1, column 1", "a value is missing before this"],
    ['{ "a": 1 }\n{ "b": 2 }', "line 2, column 1", SECOND],
    ["1,2", "line 1, column 2", SECOND],
    ["{} x", "line 1, column 4", NO_JSON],
    ["{ a: 1 }", "line 1, column 3", NO_JSON],
    ['{ "a": 1, b: 2 }', "line 1, column 11", NO_JSON],
    ["{ 1: 2 }", "line 1, column 3", "the name of a property, in double quotes, is missing before this"],
    ["{ {} }", "line 1, column 3", "the name of a property, in double quotes, is missing before this"],
    ['{ "a" 1 }', "line 1, column 7", "a colon is missing before this"],
    ['{ "a" = 1 }', "line 1, column 7", NO_JSON],
    ['{ "a", "b": 1 }', "line 1, column 6", "a colon is missing before this"],
    ['{ "a" }', "line 1, column 7", "a colon is missing before this"],
    ['{ "a": }', "line 1, column 8", "a value is missing before this"],
    ['{ "a": , "b": 1 }', "line 1, column 8", "a value is missing before this"],
    ['["a": 1]', "line 1, column 5", "a comma is missing before this"],
    ['{ "a": yes }', "line 1, column 8", NO_JSON],
    ['{ "a": True }', "line 1, column 8", NO_JSON],
    ["[NaN]", "line 1, column 2", NO_JSON],
    ["s3cret", "line 1, column 1", NO_JSON],
    ["[01]", "line 1, column 3", NUMBER],
    ["[0x1F]", "line 1, column 3", NUMBER],
    ["[+1]", "line 1, column 2", NUMBER],
    ["[.5]", "line 1, column 2", NUMBER],
    ["[-]", "line 1, column 2", NUMBER],
    ["[1_000]", "line 1, column 3", NUMBER],
    ["[1.]", "line 1, column 2", "this number is not complete"],
    ["[1e]", "line 1, column 2", "this number is not complete"],
    ["", "line 1, column 1", "the file has no value"],
    [" \n", "line 2, column 1", "the file has no value"],
    ['{ "a": 1, "b": 2,\n  "a": 3 }', "line 2, column 3", "line 1, column 3 has the same property: remove one of them"],
    [
      '{ "a": { "b": 1, "\\u0062": 1 } }',
      "line 1, column 18",
      "line 1, column 10 has the same property: remove one of them",
    ],
    [nested(501), "line 1, column 501", "more than 500 objects and lists are within one another"],
    [
      Buffer.from('\ufeff{ "a": 1 }', "utf16le").toString(),
      "line 1, column 1",
      "the file must be in UTF-8, and seems to be in UTF-16",
    ],
    [
      Buffer.from('{ "a": 1 }', "utf16le").toString(),
      "line 1, column 1",
      "the file must be in UTF-8, and seems to be in UTF-16",
    ],
  ])("%j", (text, position, what) => {
    expect(mistakeIn(text)).toBe(`${position}: ${what}`);
  });

  it.each(['{ "a": [1, -0.5e+3, "\\"\\u00e9", true, null], "b": { "a": {} } }', "[]", '"text"', "1", nested(500)])(
    "valid JSON has none: %j",
    (text) => {
      expect(mistakeIn(text)).toBeNull();
    },
  );

  it("exactly in texts that are not JSON, and never with a part of the text", () => {
    const random = createRandomIntegers(1);
    const valid = JSON.stringify({ a: [1, -2.5e7, "s3cret", true, null, {}], b: { "": [], c: "s3cret" } });
    const signs = [
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "'",
      "\\",
      "/",
      "0",
      "1",
      ".",
      "-",
      "e",
      "u",
      " ",
      "\n",
      "\t",
      "x",
    ];
    for (let round = 0; round < 3_000; round++) {
      let text = valid;
      for (let changes = (random() % 3) + 1; changes > 0; changes--) {
        const at = random() % text.length;
        text = `${text.slice(0, at)}${signs[random() % signs.length]}${text.slice(at + (random() % 3))}`;
      }
      const mistake = mistakeIn(text);
      expect(mistake ?? "").not.toMatch(/s3cret|undefined/);
      // A name that stands twice is found before a later mistake.
      if (mistake?.includes("has the same property")) continue;
      expect([text, mistake === null]).toEqual([text, isJson(text)]);
    }
  });
});

it("a byte order mark before JSON is ignored", () => {
  expect(parseSettingsJson('\ufeff{ "a": 1 }')).toEqual({ a: 1 });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
