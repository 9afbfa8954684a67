import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
} from "graphql";
import { Failure, quoted } from "../../../core/errors/errors.ts";
import { elementsOf, membersOf, partOf } from "../../http/json/scanner.ts";
import { enumText } from "../enum-texts.ts";

/** The bytes of one valid JSON value without the white space around it. */
type RawJson = Uint8Array;

/**
 * Reads a JSON value. `at` is its path in the body, empty for the body itself. Throws `INVALID_PARAMETER` with the path, the
 * rule and the value. Null is no value of any type: an optional member is left out instead.
 */
export type ReadInput = (json: RawJson, at: string) => unknown;

/** Compiles a type of the graph's schema. Reading takes time in proportion to the length of the value, whatever its depth. */
export function compileInput(type: GraphQLInputType): ReadInput {
  const nullable = getNullableType(type);
  if (isInputObjectType(nullable)) return objectReader(nullable);
  if (!isListType(nullable)) return leafReader(ruleOf(nullable));
  const element = getNullableType(nullable.ofType);
  return isInputObjectType(element) || isListType(element)
    ? listReader(compileInput(element))
    : leafListReader(ruleOf(element));
}

const BODY = "the body";
const OPEN_OBJECT = "{".charCodeAt(0);
const OPEN_ARRAY = "[".charCodeAt(0);

interface Member {
  readonly read: ReadInput;
  readonly isRequired: boolean;
}

function objectReader(type: GraphQLInputObjectType): ReadInput {
  const members = new Map<string, Member>(
    Object.values(type.getFields()).map((field) => [
      field.name,
      { read: compileInput(field.type), isRequired: isRequiredInputField(field) },
    ]),
  );
  const required = [...members.keys()].filter((name) => members.get(name)?.isRequired);
  const names = [...members.keys()].join(", ");
  return (json, at) => {
    if (json[0] !== OPEN_OBJECT) throw refused(at, "must be an object", json);
    const values: Record<string, unknown> = {};
    for (const { key, value } of membersOf(json)) {
      const name = String(parsed(partOf(json, key)));
      const path = pathOf(at, name);
      const member = members.get(name);
      if (!member) throw invalid(`${path} is not a member; the members of ${at || BODY} are ${names}`);
      const part = partOf(json, value);
      if (Object.hasOwn(values, name)) throw invalid(`${path} must be given once, got also ${shown(part)}`);
      values[name] = member.read(part, path);
    }
    for (const name of required) if (!Object.hasOwn(values, name)) throw invalid(`${pathOf(at, name)} must be given`);
    return values;
  };
}

function listReader(readElement: ReadInput): ReadInput {
  return (json, at) => {
    if (json[0] !== OPEN_ARRAY) throw refused(at, "must be a list", json);
    const values: unknown[] = [];
    for (const element of elementsOf(json)) values.push(readElement(partOf(json, element), `${at}[${values.length}]`));
    return values;
  };
}

/** Parses the list at once: a list may have many thousands of elements. */
function leafListReader({ isValid, rule }: LeafRule): ReadInput {
  return (json, at) => {
    const values = parsed(json);
    if (!Array.isArray(values)) throw refused(at, "must be a list", json);
    const wrong = values.findIndex((value) => !isValid(value));
    if (wrong >= 0) throw refused(`${at}[${wrong}]`, rule, partOf(json, [...elementsOf(json)][wrong]!)); // counted above
    return values;
  };
}

function leafReader({ isValid, rule }: LeafRule): ReadInput {
  return (json, at) => {
    const value = parsed(json);
    if (!isValid(value)) throw refused(at, rule, json);
    return value;
  };
}

/** The values of a type without members. `rule` is the end of an error message that begins with the path of the value. */
interface LeafRule {
  readonly rule: string;
  readonly isValid: (value: unknown) => boolean;
}

function ruleOf(type: GraphQLLeafType): LeafRule {
  if (isEnumType(type)) {
    const names = type.getValues().map(({ name }) => name);
    if (names.some((name) => enumText(type.name, name) !== name))
      throw new Error(`a member of a REST body cannot have the type ${type.name}`);
    const known = new Set<unknown>(names);
    return { rule: `must be one of ${names.join(", ")}`, isValid: (value) => known.has(value) };
  }
  const rule = SCALARS[type.name];
  if (!rule) throw new Error(`a member of a REST body cannot have the type ${type.name}`);
  return rule;
}

const TEXT: LeafRule = { rule: "must be a string", isValid: (value) => typeof value === "string" };

/** By the name of the scalar. */
const SCALARS: Readonly<Record<string, LeafRule>> = {
  String: TEXT,
  ID: TEXT,
  Int: {
    rule: "must be an integer of at most 32 bits",
    isValid: (value) => typeof value === "number" && (value | 0) === value,
  },
  Percentage: {
    rule: "must be an integer from 0 to 100",
    isValid: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 100,
  },
  Float: { rule: "must be a number", isValid: (value) => typeof value === "number" && Number.isFinite(value) },
  // REST bodies contain a quantity as a JSON number.
  Quantity: {
    rule: "must be a non-negative integer of at most 53 bits",
    isValid: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  },
  Boolean: { rule: "must be true or false", isValid: (value) => typeof value === "boolean" },
};

function parsed(json: RawJson): unknown {
  return JSON.parse(textOf(json));
}

function textOf(json: RawJson): string {
  return Buffer.from(json.buffer, json.byteOffset, json.length).toString();
}

function pathOf(at: string, name: string): string {
  const shown = /^\w{1,100}$/.test(name) ? name : quoted(name);
  return at === "" ? shown : `${at}.${shown}`;
}

const MAX_NUMBER_LENGTH = 100;

/** A value for an error message. Numbers are shown as they were sent: parsing rounds the large ones. */
function shown(json: RawJson): string {
  const value = parsed(json);
  if (typeof value !== "number") return quoted(value);
  const text = textOf(json);
  return text.length > MAX_NUMBER_LENGTH ? `${text.slice(0, MAX_NUMBER_LENGTH)}…` : text;
}

function refused(at: string, rule: string, json: RawJson): Failure {
  return invalid(`${at || BODY} ${rule}, got ${shown(json)}`);
}

function invalid(message: string): Failure {
  return new Failure("INVALID_PARAMETER", message);
}
