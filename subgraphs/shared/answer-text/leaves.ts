import {
  type GraphQLLeafType,
  type GraphQLNamedType,
  GraphQLString,
  isEnumType,
  isLeafType,
  isScalarType,
} from "graphql";
import { type AnswerForm, GRAPHQL_FORM } from "../../../core/graph/answer-text.ts";
import { type SerializedText, serializedText } from "../../../core/graph/scalars.ts";
import { addValue, type Code, type Write } from "./pieces.ts";
import { Unwritable } from "./text-run.ts";

/**
 * Expression of a leaf's value in the graph. Most values are already in this form, which the code checks itself; others are converted
 * by the scalar. A missing value is refused.
 */
export function leafValue(
  program: Pick<Code, "values">,
  type: GraphQLNamedType,
  enumText: AnswerForm["enumText"] = GRAPHQL_FORM.enumText,
): (from: string) => string {
  if (!isLeafType(type)) throw new Unwritable(`${type.name} is not a leaf`);
  const convert = addValue(program, converterOf(type, enumText));
  if (textRule(type) === "same") return (from) => `(typeof (v = ${from}) === 'string' ? v : ${convert}(v))`;
  if (CONVERTED.has(type.name)) return keepingLast(program, convert);
  if (type.name === "Int") return (from) => `(typeof (v = ${from}) === 'number' && (v | 0) === v ? v : ${convert}(v))`;
  return (from) => `${convert}(${from})`;
}

/** Scalars that make another text of a text, which takes longer than to compare it with the last one. */
const CONVERTED: ReadonlySet<string> = new Set(["Id", "NodeId"]);

/** Items of a list that follow each other often have the same ID, such as that of an asset. */
function keepingLast(program: Pick<Code, "values">, convert: string): (from: string) => string {
  return (from) => {
    const number = 2 * program.values.push(null);
    const isLast = `typeof (v = ${from}) === 'string' && v === s.leaves[${number}]`;
    return `(${isLast} ? s.leaves[${number + 1}] : s.keepLeaf(${number}, v, ${convert}(v)))`;
  };
}

function textRule(type: GraphQLNamedType): SerializedText | undefined {
  if (!isScalarType(type)) return undefined;
  return type.name === GraphQLString.name ? "same" : serializedText(type);
}

/** How a leaf of the objects that resolvers return is written. */
export function leafOf(program: Pick<Code, "values"> & { readonly form: AnswerForm }, type: GraphQLNamedType): Write {
  const toText = leafValue(program, type, program.form.enumText);
  const write = jsonOf(type);
  // Most resolvers return decimal text for integers.
  if (textRule(type) !== "number") return (from) => write(toText(from));
  const isText = addValue(program, isExactInteger);
  return (from) => write(`(${isText}(v = ${from}) ? v : ${toText("v")})`);
}

/** Scalars whose values are JSON numbers, `true` or `false`. */
const NUMERIC: ReadonlySet<string> = new Set(["Int", "Float", "Boolean", "Timestamp", "Integer"]);

/** Scalars whose values never contain a character that JSON escapes. */
const UNESCAPED: ReadonlySet<string> = new Set(["Quantity", "Address", "Hash", "Hex", "Id", "NodeId"]);

/** How the value of a leaf after its serialisation is written. */
function jsonOf(type: GraphQLNamedType): Write {
  if (NUMERIC.has(type.name)) return (from) => [{ code: from }];
  if (isEnumType(type) || UNESCAPED.has(type.name))
    return (from) => [{ literal: '"' }, { code: from }, { literal: '"' }];
  return (from) => [{ code: `${type.name === "String" ? "escaped" : "JSON.stringify"}(${from})` }];
}

/** With this number of digits, all integers are exact as numbers. */
const EXACT_DIGITS = 15;

/** True for decimal text that is also the JSON of its number. To make the number and its text takes several times as long. */
function isExactInteger(value: unknown): boolean {
  if (typeof value !== "string" || value.length > EXACT_DIGITS) return false;
  const first = value.charCodeAt(0);
  if (first === 48) return value.length === 1;
  for (let at = 0; at < value.length; at++) {
    const digit = value.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) return false;
  }
  return value.length > 0;
}

type Convert = (value: unknown) => unknown;

function converterOf(type: GraphQLLeafType, enumText: AnswerForm["enumText"]): Convert {
  return isEnumType(type)
    ? nameOf(type.name, new Map(type.getValues().map(({ name, value }) => [value, enumText(type.name, name)])))
    : checked(type);
}

function nameOf(type: string, names: ReadonlyMap<unknown, string>): Convert {
  return (value) => {
    const name = names.get(value);
    if (name === undefined) throw new Unwritable(`not a value of ${type}`);
    return name;
  };
}

/** Numbers that JSON does not have are refused too. */
function checked(type: Exclude<GraphQLLeafType, { getValues: unknown }>): Convert {
  return (value) => {
    const serialised = value === null || value === undefined ? null : type.serialize(value);
    if (serialised === null || serialised === undefined) throw new Unwritable(`no value of ${type.name}`);
    if (typeof serialised === "number" && !Number.isFinite(serialised)) throw new Unwritable("not a number of JSON");
    return serialised;
  };
}
