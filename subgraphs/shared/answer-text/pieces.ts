/**
 * A piece of the JSON: a JavaScript expression, constant text, a call of a function that appends the text of a value, or one of two lists of
 * pieces. Adjacent constants are joined at compile time.
 */
export type Piece =
  | { readonly code: string }
  | { readonly literal: string }
  | { readonly append: string; readonly from: string }
  | { readonly test: string; readonly ifTrue: readonly Piece[]; readonly ifFalse: readonly Piece[] };

/** Returns the pieces of a value that is not null. `from` is the JavaScript expression of the value. */
export type Write = (from: string) => Piece[];

/** The code of a writer while it is compiled. */
export interface Code {
  /** Source code of the functions `f0`, `f1` and so on. */
  readonly functions: string[];
  /** What the source code calls as `values[index]`. */
  readonly values: unknown[];
}

/** Adds a value that the source code needs, and returns its expression. */
export function addValue({ values }: Pick<Code, "values">, value: unknown): string {
  return `values[${values.push(value) - 1}]`;
}

/** Adds a function, whose source code begins with its parameters, and returns its name. */
export function addFunction({ functions }: Pick<Code, "functions">, source: string): string {
  const name = `f${functions.length}`;
  functions.push(`function ${name}${source}`);
  return name;
}

/** How a function with this name writes a value. */
export function callOf(name: string): Write {
  return (from) => [{ append: name, from }];
}

/** Pieces of a text that is `null` for a missing value. */
export function nullOr(from: string, write: Write): Piece[] {
  return [{ test: `(v = ${from}) == null`, ifTrue: [{ literal: "null" }], ifFalse: write("v") }];
}

/**
 * Makes a function of the pieces, in which `root` is the first argument. The source code contains names of the operation and the schema,
 * which are letters, digits and underscores, and no values of callers.
 */
export function compilePieces<Writer>({ functions, values }: Code, pieces: readonly Piece[]): Writer {
  const source = `"use strict";\n${functions.join("\n")}\nreturn (root, s) => { let t = '', v; ${appended(pieces)} return t; };`;
  return new Function("escaped", "values", source)(escaped, values) as Writer;
}

/** JavaScript statements that append all pieces to `t`. */
export function appended(pieces: readonly Piece[]): string {
  let source = "";
  let texts: string[] = [];
  const endTexts = (): void => {
    // Two numbers would be added.
    if (texts.length > 1 && !texts[0]?.startsWith('"')) texts.unshift("''");
    if (texts.length > 0) source += `t += ${texts.join(" + ")}; `;
    texts = [];
  };
  for (const piece of merged(pieces)) {
    const expression = expressionOf(piece);
    if (expression !== null) texts.push(expression);
    else {
      endTexts();
      source += statementOf(piece);
    }
  }
  endTexts();
  return source.trimEnd();
}

/** Joins adjacent literals, and omits empty ones. */
function merged(pieces: readonly Piece[]): Piece[] {
  const list: Piece[] = [];
  for (const piece of pieces) {
    const last = list.at(-1);
    if (!("literal" in piece)) list.push(piece);
    else if (last && "literal" in last) list[list.length - 1] = { literal: last.literal + piece.literal };
    else if (piece.literal !== "") list.push(piece);
  }
  return list;
}

/** A JavaScript expression of a piece's text; null if the piece calls a function that appends it. */
function expressionOf(piece: Piece): string | null {
  if ("literal" in piece) return JSON.stringify(piece.literal);
  if ("code" in piece) return piece.code;
  if ("append" in piece) return null;
  const [ifTrue, ifFalse] = [piece.ifTrue, piece.ifFalse].map(joined);
  return ifTrue && ifFalse ? `(${piece.test} ? ${ifTrue} : ${ifFalse})` : null;
}

function joined(pieces: readonly Piece[]): string | null {
  if (pieces.length === 0) return "''";
  const texts = merged(pieces).map(expressionOf);
  return texts.includes(null) ? null : texts.join(" + ");
}

function statementOf(piece: Piece): string {
  if ("append" in piece) return `t = ${piece.append}(t, ${piece.from}, s); `;
  if (!("test" in piece)) return "";
  return `if (${piece.test}) { ${appended(piece.ifTrue)} } else { ${appended(piece.ifFalse)} } `;
}

/** Any character that JSON may have to escape. */
const ESCAPED = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** Most strings of an answer need no escape, and this check is faster than `JSON.stringify`. */
function escaped(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}
