import {
  type GraphQLCompositeType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isListType,
  isNonNullType,
} from "graphql";
import type { RestOperation } from "../../graph/operation.ts";
import { type Dialect, keyRule, valueRule, type WriteValue, writesNull } from "./dialects.ts";
import { type SelectedField, type Selections, selectedFields } from "./selection.ts";

/** Returns the JSON of a response body. Fields that are null are omitted, except those of `NULL_RULES`. */
export type Serialiser = (body: unknown) => string;

interface Program extends Selections {
  readonly dialect: Dialect;
  /** Source code of the functions `f0`, `f1` and so on. */
  readonly functions: string[];
  /** Functions that the source code calls as `values[index]`. */
  readonly values: WriteValue[];
}

/** A piece of the JSON: a JavaScript expression, or constant text. Adjacent constants are joined at compile time. */
type Piece = { readonly code: string } | { readonly literal: string };

/** Returns the pieces of a value that is not null. `from` is the JavaScript expression of the value. */
type Write = (from: string) => Piece[];

/**
 * Compiles an operation's selection set to a function that concatenates the JSON. Types and dialect rules are looked up
 * once, when the function is compiled. The source code contains only names of Moraine's own operations and schema. `constants` are
 * further members of every body.
 */
export function compileSerialiser(
  operation: RestOperation,
  schema: GraphQLSchema,
  dialect: Dialect,
  constants: Readonly<Record<string, number>> = {},
): Serialiser {
  const program: Program = { schema, fragments: operation.fragments, dialect, functions: [], values: [] };
  const [body] = selectedFields(program, rootType(schema, operation), [operation.body]);
  if (!body) throw new Error(`operation ${operation.name} selects nothing`);
  const write = writeOf(program, body.type, body);
  const source = `${program.functions.join("\n")}\nreturn (body) => ${joined(write("body"))};`;
  const serialise = new Function("escaped", "values", source)(escaped, program.values) as Serialiser;
  return Object.keys(constants).length === 0 ? serialise : withConstants(serialise, constants);
}

/** Writes these members after those of the body, which has at least one. */
function withConstants(serialise: Serialiser, constants: Readonly<Record<string, number>>): Serialiser {
  const end = `,${JSON.stringify(constants).slice(1)}`;
  return (body) => serialise(body).slice(0, -1) + end;
}

function rootType(schema: GraphQLSchema, { name, kind }: RestOperation): GraphQLCompositeType {
  const type = schema.getRootType(kind);
  if (!type) throw new Error(`operation ${name} is a ${kind}, but the graph has no ${kind} type`);
  return type;
}

function writeOf(program: Program, type: GraphQLOutputType, field: SelectedField): Write {
  const rule = valueRule(program.dialect, field.parent, field.field);
  if (rule) return ruled(program, rule);
  const nullable = getNullableType(type);
  if (isListType(nullable)) return listOf(program, nullable.ofType, field);
  if (isCompositeType(nullable)) return call(addFunction(program, objectSource(program, nullable, field)));
  return leafOf(getNamedType(type));
}

function ruled({ values }: Program, rule: WriteValue): Write {
  const index = values.push(rule) - 1;
  return (from) => [{ code: `values[${index}](${from})` }];
}

function leafOf(type: GraphQLNamedType): Write {
  if (NUMERIC.has(type.name)) return (from) => [{ code: from }];
  if (isEnumType(type) || UNESCAPED.has(type.name))
    return (from) => [{ literal: '"' }, { code: from }, { literal: '"' }];
  return (from) => [{ code: `${type.name === "String" ? "escaped" : "JSON.stringify"}(${from})` }];
}

const NUMERIC: ReadonlySet<string> = new Set(["Int", "Float", "Boolean", "Timestamp", "Integer"]);

/** Scalars whose values never contain a character that JSON escapes. */
const UNESCAPED: ReadonlySet<string> = new Set(["Quantity", "Address", "Hash", "Hex", "Id", "NodeId"]);

function listOf(program: Program, item: GraphQLOutputType, field: SelectedField): Write {
  const text = joined(writeOf(program, item, field)("a[i]"));
  const each = isNonNullType(item) ? text : `(a[i] == null ? 'null' : ${text})`;
  const source = `(a) { let t = '['; for (let i = 0; i < a.length; i++) { if (i > 0) t += ','; t += ${each}; } return t + ']'; }`;
  return call(addFunction(program, source));
}

interface Member {
  readonly key: string;
  /** JavaScript expression of the value. */
  readonly value: string;
  readonly write: Write;
  /** True if the member is never null. */
  readonly isRequired: boolean;
}

function objectSource(program: Program, type: GraphQLCompositeType, { selections }: SelectedField): string {
  const members = selectedFields(program, type, selections).map((field) => ({
    key: JSON.stringify(keyRule(program.dialect, field.parent, field.field) ?? field.key),
    value: `o[${JSON.stringify(field.key)}]`,
    ...memberOf(program, field),
  }));
  return members.some(({ isRequired }) => isRequired) ? objectWithRequired(members) : objectOfOptional(members);
}

function memberOf(program: Program, field: SelectedField): Pick<Member, "write" | "isRequired"> {
  const write = writeOf(program, field.type, field);
  if (!writesNull(program.dialect, field.parent, field.field))
    return { write, isRequired: isNonNullType(field.type) && !field.isConditional };
  return { write: (from) => [{ code: `(${from} == null ? 'null' : ${joined(write(from))})` }], isRequired: true };
}

/** Members before the first required member end with a comma, members after it start with one. */
function objectWithRequired(members: readonly Member[]): string {
  const first = members.findIndex(({ isRequired }) => isRequired);
  let source = "(o) { let t = '{', v;";
  let pieces: Piece[] = [];
  members.forEach(({ key, value, write, isRequired }, at) => {
    const member = (from: string): Piece[] => [
      { literal: `${at > first ? "," : ""}${key}:` },
      ...write(from),
      { literal: at < first ? "," : "" },
    ];
    if (isRequired) pieces.push(...member(value));
    else {
      if (pieces.length > 0) source += ` t += ${joined(pieces)};`;
      pieces = [];
      source += ` if ((v = ${value}) != null) t += ${joined(member("v"))};`;
    }
  });
  return `${source} return t + ${joined([...pieces, { literal: "}" }])}; }`;
}

function objectOfOptional(members: readonly Member[]): string {
  const lines = members.map(
    ({ key, value, write }) =>
      `if ((v = ${value}) != null) t += (t === '' ? '{' : ',') + ${joined([{ literal: `${key}:` }, ...write("v")])};`,
  );
  return `(o) { let t = '', v; ${lines.join(" ")} return t === '' ? '{}' : t + '}'; }`;
}

function addFunction({ functions }: Program, source: string): string {
  const name = `f${functions.length}`;
  functions.push(`function ${name}${source}`);
  return name;
}

function call(name: string): Write {
  return (from) => [{ code: `${name}(${from})` }];
}

/** A JavaScript expression that concatenates all pieces. Adjacent literals become one. */
function joined(pieces: readonly Piece[]): string {
  const parts: string[] = [];
  let literal = "";
  for (const piece of pieces) {
    if ("literal" in piece) literal += piece.literal;
    else {
      if (literal !== "" || parts.length === 0) parts.push(JSON.stringify(literal));
      literal = "";
      parts.push(piece.code);
    }
  }
  if (literal !== "" || parts.length === 0) parts.push(JSON.stringify(literal));
  return parts.join(" + ");
}

/** Any character that JSON may have to escape. */
const ESCAPED = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** Most strings of a response need no escape, and this check is faster than `JSON.stringify`. */
function escaped(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}
