import { type JSONVisitor, printParseErrorCode, visit } from "jsonc-parser";

/** The parser calls itself for each object and list within another one. */
const MAX_DEPTH = 500;

/** An object or list that has begun, with the offsets of its properties by name. */
interface Open {
  readonly bracket: string;
  readonly offset: number;
  readonly names: Map<string, number>;
}

const NO_COMMENTS = "JSON has no comments: remove this one";
const NUMBER = "this number is not written as in JSON: write decimal digits, without + and without zeros before them";

/** What is wrong, by the parser's name of the mistake. */
const MISTAKES: Readonly<Record<string, string>> = {
  UnexpectedEndOfString: "the closing quote of this text is missing",
  InvalidUnicode: "in this text, \\u must be followed by four hex digits",
  InvalidEscapeCharacter: "in this text, a backslash begins no escape: write \\\\ for a backslash",
  InvalidCharacter: "this text contains a tab or another control character: write \\t or another escape",
  UnexpectedEndOfNumber: "this number is not complete",
  InvalidCommentToken: NO_COMMENTS,
  InvalidSymbol:
    "this is not JSON: write a name or a text in double quotes, or a number, true, false, null, an object or a list",
  ValueExpected: "a value is missing before this",
  PropertyNameExpected: "the name of a property, in double quotes, is missing before this",
  ColonExpected: "a colon is missing before this",
  CommaExpected: "a comma is missing before this",
  CloseBraceExpected: "a comma or } is missing before this",
  CloseBracketExpected: "a comma or ] is missing before this",
  EndOfFileExpected: "nothing may follow the end of the value: the file must have one value",
};
const CLOSED_BY: Readonly<Record<string, string>> = { "}": "{", "]": "[" };
/** A mistake that the parser names too generally, by the text before it and from it on. */
const FREQUENT: readonly (readonly [before: RegExp, from: RegExp, what: string])[] = [
  [/^/, /^#/, NO_COMMENTS],
  [/^/, /^['`\u2018-\u201f]/, 'JSON has only double quotes: write " instead of this quote'],
  [/^/, /^[+.-]/, NUMBER],
  [/\d$/, /^[\w.]/, NUMBER],
  [/,\s*$/, /^[}\],]/, "the comma before this has nothing behind it: remove it"],
];

/**
 * Throws an error if the text is not JSON, or names a property of an object twice: `line 4, column 3: ` and the kind of the mistake. The
 * message quotes nothing of the text, which may contain secrets. Lines and columns are counted from 1.
 */
export function requireJson(text: string): void {
  const open: Open[] = [];
  const refuse = (offset: number, what: string): never => {
    throw new Error(`${positionText(text, offset)}: ${what}`);
  };
  const begin = (offset: number) => {
    open.push({ bracket: text.charAt(offset), offset, names: new Map() });
    if (open.length > MAX_DEPTH) refuse(offset, `more than ${MAX_DEPTH} objects and lists are within one another`);
  };
  const end = (offset: number) => {
    // The parser also reports the end of what is open at the end of the file.
    if (offset < text.length) open.pop();
  };
  const visitor: JSONVisitor = {
    onObjectBegin: begin,
    onArrayBegin: begin,
    onObjectEnd: end,
    onArrayEnd: end,
    onObjectProperty(name, offset) {
      const { names } = open.at(-1) as Open;
      const earlier = names.get(name);
      if (earlier !== undefined)
        refuse(offset, `${positionText(text, earlier)} has the same property: remove one of them`);
      names.set(name, offset);
    },
    onError(code, offset) {
      const [at, what] = mistakeAt(text, offset, printParseErrorCode(code), open);
      refuse(at, what);
    },
  };
  visit(text, visitor, { disallowComments: true });
}

/** Line and column of an offset, both counted from 1. */
export function positionText(text: string, offset: number): string {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return `line ${lines.length}, column ${[...(lines.at(-1) ?? "")].length + 1}`;
}

function mistakeAt(text: string, offset: number, code: string, open: readonly Open[]): [offset: number, what: string] {
  if (text.includes("\0")) return [0, "the file must be in UTF-8, and seems to be in UTF-16"];
  // Mistakes within a token, and those of which the parser says all.
  if (/^(Invalid|UnexpectedEnd)/.test(code) && code !== "InvalidSymbol") return [offset, MISTAKES[code] ?? code];
  const innermost = open.at(-1);
  if (offset >= text.length)
    return innermost
      ? [innermost.offset, `this ${innermost.bracket} is never closed: the file ends before that`]
      : [offset, "the file has no value"];
  const found = text.charAt(offset);
  const closed = CLOSED_BY[found];
  if (closed && innermost && innermost.bracket !== closed)
    return [
      offset,
      `the ${innermost.bracket} at ${positionText(text, innermost.offset)} must be closed before this ${found}`,
    ];
  const frequent = FREQUENT.find(
    ([before, from]) => before.test(text.slice(0, offset)) && from.test(text.slice(offset)),
  );
  return [offset, frequent?.[2] ?? MISTAKES[code] ?? code];
}

/** Parses JSON that an operator wrote, with or without a byte order mark. Throws the error of `requireJson`. */
export function parseSettingsJson(text: string): unknown {
  const json = withoutByteOrderMark(text);
  requireJson(json);
  return JSON.parse(json);
}

/** The text without the byte order mark that some editors write at the start of a file. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}
