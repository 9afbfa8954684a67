import { type JSONVisitor, printParseErrorCode, visit } from "jsonc-parser";

/** The parser calls itself for each object and list within another one. */
const MAX_DEPTH = 500;

/** An object or list that has begun. */
interface Open {
  readonly bracket: "{" | "[";
  readonly offset: number;
  /** Names of the properties so far, with their offsets. */
  readonly names: Map<string, number>;
}

/** What the parser has read before a mistake. */
interface State {
  readonly open: Open[];
  /** The last token: a bracket that begins something, a separator, the name of a property, or the end of a value. */
  last: "{" | "[" | "," | ":" | "name" | "value" | "nothing";
  lastOffset: number;
}

/** A token that may not stand where it stands. */
interface Misplaced {
  readonly text: string;
  readonly offset: number;
  /** Text of the token. */
  readonly found: string;
}

/** Mistakes within a token, by the parser's name. */
const TOKEN_MISTAKES: Readonly<Record<string, string>> = {
  UnexpectedEndOfString: "the closing quote of this text is missing",
  InvalidUnicode: "in this text, \\u must be followed by four hex digits",
  InvalidEscapeCharacter: "in this text, a backslash begins no escape: write \\\\ for a backslash",
  InvalidCharacter: "this text contains a tab or another control character: write \\t or another escape",
  UnexpectedEndOfNumber: "this number is not complete",
  InvalidCommentToken: "JSON has no comments: remove this one",
};
const NUMBER = "this number is not written as in JSON: write decimal digits, without + and without zeros before them";
const CLOSING = { "{": "}", "[": "]" } as const;

/**
 * Throws an error if the text is not JSON, or names a property of an object twice: `line 4, column 3: ` and the kind of the mistake. The
 * message quotes nothing of the text, which may contain secrets. Lines and columns are counted from 1.
 */
export function requireJson(text: string): void {
  const state: State = { open: [], last: "nothing", lastOffset: 0 };
  const refuse = (offset: number, what: string): never => {
    throw new Error(`${positionText(text, offset)}: ${what}`);
  };
  const begin = (bracket: Open["bracket"], offset: number) => {
    state.open.push({ bracket, offset, names: new Map() });
    if (state.open.length > MAX_DEPTH)
      refuse(offset, `more than ${MAX_DEPTH} objects and lists are within one another`);
    note(state, bracket, offset);
  };
  const end = (offset: number) => {
    // The parser also reports the end of what is open at the end of the file.
    if (offset < text.length) state.open.pop();
    note(state, "value", offset);
  };
  const visitor: JSONVisitor = {
    onObjectBegin: (offset) => begin("{", offset),
    onArrayBegin: (offset) => begin("[", offset),
    onObjectEnd: end,
    onArrayEnd: end,
    onLiteralValue: (_value, offset) => note(state, "value", offset),
    onSeparator: (character, offset) => note(state, character === ":" ? ":" : ",", offset),
    onObjectProperty(name, offset) {
      const { names } = state.open.at(-1) as Open;
      const earlier = names.get(name);
      if (earlier !== undefined)
        refuse(offset, `${positionText(text, earlier)} has the same property: remove one of them`);
      names.set(name, offset);
      note(state, "name", offset);
    },
    onError(code, offset, length) {
      const found = text.slice(offset, offset + length);
      const [at, what] = mistakeOf(printParseErrorCode(code), { text, offset, found }, state);
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

function note(state: State, last: State["last"], offset: number): void {
  state.last = last;
  state.lastOffset = offset;
}

type Mistake = readonly [offset: number, what: string];

function mistakeOf(code: string, misplaced: Misplaced, state: State): Mistake {
  const { text, offset, found } = misplaced;
  if (text.includes("\0")) return [0, "the file must be in UTF-8, and seems to be in UTF-16"];
  const inToken = TOKEN_MISTAKES[code];
  if (inToken) return [offset, inToken];
  if (offset >= text.length) return endsTooEarly(text, state);
  if (code === "InvalidSymbol") return unknownWord(misplaced, state);
  if (found === "}" || found === "]") return misplacedBracket(misplaced, state);
  if (found === "," || found === ":") return [offset, misplacedSeparator(found, state)];
  return misplacedValue(misplaced, state);
}

function endsTooEarly(text: string, { open }: State): Mistake {
  const innermost = open.at(-1);
  if (!innermost) return [text.length, "the file has no value"];
  const { bracket, offset } = innermost;
  return [offset, `this ${bracket} is never closed: the file ends before its ${CLOSING[bracket]}`];
}

/** A mistake in a word or sign that begins no token of JSON. */
function unknownWord({ text, offset, found }: Misplaced, { open, last }: State): Mistake {
  if (found.startsWith("#")) return [offset, "JSON has no comments: remove this one"];
  if (/^['`\u2018-\u201f]/.test(found)) return [offset, 'JSON has only double quotes: write " instead of this quote'];
  if (/^[+.-]/.test(found)) return [offset, NUMBER];
  if (last === "value" && /^[\w.]/.test(found) && /\d/.test(text[offset - 1] ?? ""))
    return [startOfNumber(text, offset), NUMBER];
  if (last === "name") return [offset, "a colon must follow the name of the property"];
  if (last === "value") return [offset, afterValue(open)];
  const isName = last !== ":" && open.at(-1)?.bracket === "{";
  return isName
    ? [offset, "the name of a property must be in double quotes"]
    : [offset, "this is no value: write a text in double quotes, a number, true, false, null, an object or a list"];
}

function afterValue(open: readonly Open[]): string {
  const innermost = open.at(-1);
  return innermost
    ? `a comma or ${CLOSING[innermost.bracket]} must follow the value before this`
    : "nothing may follow the end of the value: the file must have one value";
}

function startOfNumber(text: string, offset: number): number {
  return offset - (/[\d.+-]*$/.exec(text.slice(0, offset))?.[0].length ?? 0);
}

function misplacedBracket({ text, offset, found }: Misplaced, { open, last, lastOffset }: State): Mistake {
  const innermost = open.at(-1);
  if (!innermost) return [offset, `this ${found} closes nothing: remove it`];
  const { bracket } = innermost;
  const closing = CLOSING[bracket];
  if (found !== closing) {
    const opened = positionText(text, innermost.offset);
    return [offset, `a ${closing} must stand here before this ${found}: the ${bracket} at ${opened} is still open`];
  }
  if (last === ",") return [lastOffset, `no comma may stand before the closing ${found}: remove it`];
  return [offset, withoutValue(last)];
}

function misplacedSeparator(found: string, { open, last }: State): string {
  if (open.length === 0) return afterValue(open);
  if (found === ":") return "a colon may stand only between the name of a property and its value";
  if (last === "name" || last === ":") return withoutValue(last);
  return last === "," ? "a second comma follows the first: remove it" : "nothing stands before this comma: remove it";
}

function withoutValue(last: State["last"]): string {
  return last === "name"
    ? "a colon and a value must follow the name of the property"
    : "the value of the property is missing before this";
}

/** A mistake at a token that begins a value or a name. */
function misplacedValue({ text, offset, found }: Misplaced, { open, last }: State): Mistake {
  if (/^[\d-]/.test(found) && /\d/.test(text[offset - 1] ?? "")) return [startOfNumber(text, offset), NUMBER];
  const innermost = open.at(-1);
  if (!innermost) return [offset, afterValue(open)];
  if (last === "name") return [offset, "a colon is missing before this value"];
  if (last === "value")
    return [offset, `a comma is missing before this ${innermost.bracket === "{" ? "property" : "value"}`];
  return [offset, "the name of a property must be a text in double quotes"];
}
