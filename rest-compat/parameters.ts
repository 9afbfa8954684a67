import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputType,
  isListType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
} from "graphql";
import { Failure, quoted } from "../core/errors.ts";
import { Address, Hash, Quantity, Timestamp } from "../core/scalars.ts";
import type { RestOperation } from "./operation.ts";
import { eachPair } from "./target.ts";

export type Variables = Record<string, unknown>;

/** Variables of an operation from the values of the path, in the path's order, and the query. Throws `INVALID_PARAMETER`. */
export type ParseParameters = (values: readonly string[], query: string) => Variables;

interface Parameter {
  readonly name: string;
  readonly isList: boolean;
  /** True for a list that is one value with commas. Other lists repeat the parameter. */
  readonly hasCommas: boolean;
  readonly isRequired: boolean;
  /** Throws a `Failure` that says the rule and the value, without the name. */
  readonly parse: (text: string) => unknown;
}

/** Lists that the contract sends in one value, separated by commas. */
const COMMA_SEPARATED: ReadonlySet<string> = new Set(["addresses", "rewardAddresses", "nodeIds"]);

/** Compiles the variables of an operation; those that `pathNames` lacks are parameters of the query. */
export function compileParameters(
  { name, variables }: RestOperation,
  pathNames: readonly string[],
  schema: GraphQLSchema,
): ParseParameters {
  const all = new Map(variables.map((node) => [node.variable.name.value, parameterOf(node, schema)]));
  const path = pathNames.map((pathName) => {
    const parameter = all.get(pathName);
    if (!parameter) throw new Error(`operation ${name} has no variable for {${pathName}} of its path`);
    return parameter;
  });
  const query = new Map([...all].filter(([variable]) => !pathNames.includes(variable)));
  const required = [...query.values()].filter(({ isRequired }) => isRequired);
  return (values, text) => {
    const variables: Variables = {};
    path.forEach((parameter, at) => {
      variables[parameter.name] = read(parameter, values[at] as string);
    });
    if (text !== "") readQuery(query, text, variables);
    for (const { name: missing } of required)
      if (variables[missing] === undefined) throw new Failure("INVALID_PARAMETER", `${missing} must be given`);
    return variables;
  };
}

/** Unknown names are ignored, an empty value counts as absent, and only a list may be repeated. */
function readQuery(parameters: ReadonlyMap<string, Parameter>, query: string, variables: Variables): void {
  eachPair(query, (name, text) => {
    const parameter = parameters.get(name);
    if (!parameter || text === "") return;
    const before = variables[name];
    if (parameter.hasCommas && before === undefined)
      variables[name] = text.split(",").map((item) => read(parameter, item.trim()));
    else if (parameter.isList && !parameter.hasCommas)
      variables[name] = [...(Array.isArray(before) ? before : []), read(parameter, text)];
    else if (before === undefined) variables[name] = read(parameter, text);
    else throw new Failure("INVALID_PARAMETER", `${name} must be given once, got also ${quoted(text)}`);
  });
}

function read({ name, parse }: Parameter, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw error instanceof Failure ? new Failure(error.code, `${name} ${error.message}`) : error;
  }
}

function parameterOf(node: VariableDefinitionNode, schema: GraphQLSchema): Parameter {
  const name = node.variable.name.value;
  const type = typeFromAST(schema, node.type as Parameters<typeof typeFromAST>[1]);
  if (!isInputType(type)) throw new Error(`the graph has no type for the parameter ${name}`);
  return {
    name,
    isList: isListType(getNullableType(type)),
    hasCommas: isListType(getNullableType(type)) && COMMA_SEPARATED.has(name),
    isRequired: isNonNullType(type) && !node.defaultValue,
    parse: parserOf(type),
  };
}

function parserOf(type: GraphQLInputType): (text: string) => unknown {
  const named = getNamedType(type);
  if (isEnumType(named)) return oneOf(named.getValues().map((value) => value.name));
  const parser = PARSERS[named.name];
  if (!parser) throw new Error(`no parameter can be of the type ${named.name}`);
  return parser;
}

const asGiven = (text: string): string => text;

/** By name: a schema made of SDL knows our scalars by no more than that. */
const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  String: asGiven,
  ID: asGiven,
  Int: parseInt32,
  Boolean: parseBoolean,
  Quantity: (text) => Quantity.parseValue(text),
  Timestamp: (text) => Timestamp.parseValue(text),
  Address: (text) => Address.parseValue(text),
  Hash: (text) => Hash.parseValue(text),
};

function parseInt32(text: string): number {
  const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if ((number | 0) === number) return number | 0;
  throw new Failure("INVALID_PARAMETER", `must be an integer of at most 32 bits, got ${quoted(text)}`);
}

function parseBoolean(text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new Failure("INVALID_PARAMETER", `must be true or false, got ${quoted(text)}`);
}

function oneOf(names: readonly string[]): (text: string) => string {
  const known = new Set(names);
  const rule = `must be one of ${names.join(", ")}`;
  return (text) => {
    if (known.has(text)) return text;
    throw new Failure("INVALID_PARAMETER", `${rule}, got ${quoted(text)}`);
  };
}
