import {
  type GraphQLAbstractType,
  type GraphQLCompositeType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isListType,
  isNonNullType,
} from "graphql";
import type { AnswerForm, WriteValue } from "./answer-form.ts";
import { type SelectedField, type Selections, selectedFields } from "./selection.ts";

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

/**
 * What a writer reads: the data of an executor, or the objects that resolvers return. All texts are JavaScript, in which `s` is the second
 * argument of the writer.
 */
export interface Source {
  /** Expression of a field's value; `o` is the object. */
  valueOf(program: Program, field: SelectedField): string;
  /** Expression of what a field has while its value is not there yet, in which case nothing is written; null if it always has a value. */
  pendingOf(program: Program, field: SelectedField): string | null;
  /** Expression of a leaf's value in the graph. */
  leafValue(program: Program, type: GraphQLNamedType): (from: string) => string;
  /** How a leaf is written. */
  leafOf(program: Program, type: GraphQLNamedType): Write;
  /**
   * Expression of the name of the type of object `o`, which is one of those of an interface or union. Null if the members of the object are
   * found without its type.
   */
  typeNameOf: ((program: Program, type: GraphQLAbstractType) => string) | null;
  /** Called before the members of a field's objects are compiled, for each type that these can have, and after. */
  enter(program: Program, field: SelectedField): void;
  leave(): void;
  /** Statements before an object `o` is written. */
  readonly beforeObject: string;
  /** Statements before a list `a` is written. */
  beforeList(program: Program, item: GraphQLOutputType, field: SelectedField): string;
  /** Statements after an item of a list is written. `t` is the text so far. */
  readonly afterItem: string;
  /**
   * True if `s.last` keeps the text of the last object that each function has written: items that follow each other often have the same
   * object, such as a token.
   */
  readonly keepsLast: boolean;
}

/** The code of a writer while it is compiled. */
export interface Program extends Selections {
  readonly form: AnswerForm;
  readonly source: Source;
  /** Source code of the functions `f0`, `f1` and so on. */
  readonly functions: string[];
  /** What the source code calls as `values[index]`. */
  readonly values: unknown[];
}

export function createProgram(selections: Selections, form: AnswerForm, source: Source): Program {
  return { ...selections, form, source, functions: [], values: [] };
}

/** Adds a value that the source code needs, and returns its expression. */
export function addValue({ values }: Pick<Program, "values">, value: unknown): string {
  return `values[${values.push(value) - 1}]`;
}

/**
 * Makes a function of the pieces, in which `root` is the first argument. The source code contains names of the operation and the schema,
 * which are letters, digits and underscores, and no values of callers.
 */
export function compilePieces<Writer>({ functions, values }: Program, pieces: readonly Piece[]): Writer {
  const source = `"use strict";\n${functions.join("\n")}\nreturn (root, s) => { let t = '', v; ${appended(pieces)} return t; };`;
  return new Function("escaped", "values", source)(escaped, values) as Writer;
}

/** How the value of a field is written. */
export function writeOf(program: Program, type: GraphQLOutputType, field: SelectedField): Write {
  const rule = program.form.valueOf(field.parent, field.field);
  const nullable = getNullableType(type);
  if (rule) return ruled(program, getNamedType(type), rule);
  if (isListType(nullable)) return listOf(program, nullable.ofType, field);
  if (isCompositeType(nullable)) return call(objectFunction(program, nullable, field));
  return program.source.leafOf(program, getNamedType(type));
}

function ruled(program: Program, type: GraphQLNamedType, rule: WriteValue): Write {
  const toValue = program.source.leafValue(program, type);
  const write = addValue(program, rule);
  return (from) => [{ code: `${write}(${toValue(from)})` }];
}

function listOf(program: Program, item: GraphQLOutputType, field: SelectedField): Write {
  const write = writeOf(program, item, field);
  const each = appended(isNonNullType(item) ? write("a[i]") : nullOr("a[i]", write));
  const { beforeList, afterItem } = program.source;
  const items = `for (let i = 0; i < a.length; i++) { if (i > 0) t += ','; ${each} ${afterItem} }`;
  return call(
    addFunction(program, `(t, a, s) { ${beforeList(program, item, field)} let v; t += '['; ${items} return t + ']'; }`),
  );
}

interface Member {
  readonly key: string;
  /** JavaScript expression of the value. */
  readonly value: string;
  readonly write: Write;
  /** True if the member is always written. */
  readonly isRequired: boolean;
}

/** Adds a function that writes an object, and returns its name. */
function objectFunction(program: Program, type: GraphQLCompositeType, field: SelectedField): string {
  const { typeNameOf, beforeObject } = program.source;
  if (!isAbstractType(type) || !typeNameOf) return addFunction(program, objectSource(program, type, field));
  const cases = program.schema.getPossibleTypes(type).map((possible) => {
    const isEmpty = selectedFields(program, possible, field.selections).length === 0;
    const written = isEmpty ? "t + '{}'" : `${objectFunction(program, possible, field)}(t, o, s)`;
    return `case ${JSON.stringify(possible.name)}: return ${written};`;
  });
  return addFunction(
    program,
    `(t, o, s) { ${beforeObject} switch (${typeNameOf(program, type)}) { ${cases.join(" ")} } }`,
  );
}

function objectSource(program: Program, type: GraphQLCompositeType, field: SelectedField): string {
  program.source.enter(program, field);
  const members = membersOf(program, type, field.selections);
  program.source.leave();
  const source = members.some(({ isRequired }) => isRequired)
    ? objectWithRequired(program, members)
    : objectOfOptional(program, members);
  return isKept(program, type, field) ? keepingLast(program, source) : source;
}

/** The items of a list are different objects. The text of an object with a list is not kept, because a list counts its items. */
function isKept(program: Program, type: GraphQLCompositeType, { type: fieldType, selections }: SelectedField): boolean {
  return program.source.keepsLast && !isListType(getNullableType(fieldType)) && !hasList(program, type, selections);
}

function hasList(program: Program, type: GraphQLCompositeType, selections: SelectedField["selections"]): boolean {
  if (isAbstractType(type))
    return program.schema.getPossibleTypes(type).some((possible) => hasList(program, possible, selections));
  return selectedFields(program, type, selections).some((field) => {
    const inner = getNamedType(field.type);
    return (
      isListType(getNullableType(field.type)) || (isCompositeType(inner) && hasList(program, inner, field.selections))
    );
  });
}

/** A function that writes an object by a function with this source, unless it is the object that it has written last. */
function keepingLast(program: Program, source: string): string {
  const write = addFunction(program, source);
  const at = 2 * program.functions.length;
  return `(t, o, s) {
    const { last } = s;
    if (last[${at}] !== o || o === undefined) { last[${at + 1}] = ${write}('', o, s); last[${at}] = o; }
    return t + last[${at + 1}];
  }`;
}

function membersOf(program: Program, type: GraphQLCompositeType, selections: SelectedField["selections"]): Member[] {
  return selectedFields(program, type, selections).map((field) => ({
    key: JSON.stringify(program.form.keyOf(field.parent, field.field) ?? field.key),
    value: program.source.valueOf(program, field),
    ...memberOf(program, field),
  }));
}

function memberOf(program: Program, field: SelectedField): Pick<Member, "write" | "isRequired"> {
  const write = settledOnly(writeOf(program, field.type, field), program.source.pendingOf(program, field));
  if (isNonNullType(field.type) && !field.isConditional) return { write, isRequired: true };
  if (!program.form.writesNull(field.parent, field.field)) return { write, isRequired: false };
  return { write: (from) => nullOr(from, write), isRequired: true };
}

function settledOnly(write: Write, pending: string | null): Write {
  if (pending === null) return write;
  return (from) => [{ test: `(v = ${from}) === ${pending}`, ifTrue: [], ifFalse: write("v") }];
}

/** Pieces of a text that is `null` for a missing value. */
export function nullOr(from: string, write: Write): Piece[] {
  return [{ test: `(v = ${from}) == null`, ifTrue: [{ literal: "null" }], ifFalse: write("v") }];
}

/** Members before the first required member end with a comma, members after it start with one. */
function objectWithRequired({ source: { beforeObject } }: Program, members: readonly Member[]): string {
  const first = members.findIndex(({ isRequired }) => isRequired);
  let source = `(t, o, s) { ${beforeObject} let v;`;
  let pieces: Piece[] = [{ literal: "{" }];
  members.forEach(({ key, value, write, isRequired }, at) => {
    const member = (from: string): Piece[] => [
      { literal: `${at > first ? "," : ""}${key}:` },
      ...write(from),
      { literal: at < first ? "," : "" },
    ];
    if (isRequired) pieces.push(...member(value));
    else {
      source += ` ${appended(pieces)} if ((v = ${value}) != null) { ${appended(member("v"))} }`;
      pieces = [];
    }
  });
  return `${source} ${appended([...pieces, { literal: "}" }])} return t; }`;
}

function objectOfOptional({ source: { beforeObject } }: Program, members: readonly Member[]): string {
  const lines = members.map(
    ({ key, value, write }) =>
      `if ((v = ${value}) != null) { ${appended([{ code: "c" }, { literal: `${key}:` }, ...write("v")])} c = ','; }`,
  );
  return `(t, o, s) { ${beforeObject} let c = '{', v; ${lines.join(" ")} return t + (c === '{' ? '{}' : '}'); }`;
}

function addFunction({ functions }: Program, source: string): string {
  const name = `f${functions.length}`;
  functions.push(`function ${name}${source}`);
  return name;
}

function call(name: string): Write {
  return (from) => [{ append: name, from }];
}

/** JavaScript statements that append all pieces to `t`. */
function appended(pieces: readonly Piece[]): string {
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
