import type { IncomingMessage } from "node:http";
import {
  GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputType,
  isListType,
  isNonNullType,
  type TypeNode,
  typeFromAST,
  type VariableDefinitionNode,
} from "graphql";
import { Failure, joinedFailure, quoted } from "../../../core/errors/errors.ts";
import { Address, Hash, Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import { hasBody } from "../../../core/http/body.ts";
import type { RestOperation } from "../../graph/operation.ts";
import type { Route } from "../../routes.ts";
import type { RestRequest } from "../answer.ts";
import { namesByText } from "../enum-texts.ts";
import { decodePart, parameterNames } from "../path.ts";
import { formOf } from "../respond.ts";
import { compileBody, type ParseBody } from "./json-body.ts";

/** Makes an operation's variables from a request. Throws `INVALID_PARAMETER`. */
export type ParseVariables = (request: Pick<RestRequest, "request" | "params" | "query" | "body">) => Variables;

/** Compiles the variables of a route: from its path, its query and, if the route names variables for them, headers and body. */
export function compileVariables(
  { path, base, body, headers: headerNames = {} }: Pick<Route, "path" | "base" | "body" | "headers">,
  operation: RestOperation,
  schema: GraphQLSchema,
): ParseVariables {
  const elsewhere = new Set([body ?? [], Object.values(headerNames)].flat());
  const inUrl = operation.variables.filter(({ variable }) => !elsewhere.has(variable.name.value));
  const reportsAll = formOf(base) === "list";
  const parse = compileParameters({ ...operation, variables: inUrl }, parameterNames(path), schema, reportsAll);
  const headers = Object.entries(headerNames);
  const addBody = body === undefined ? null : compileBodyVariables(body, operation, schema);
  return ({ request, params, query, body }) => {
    const variables = parse(params, query);
    for (const [header, name] of headers) {
      const value = headerText(header, request);
      if (value !== undefined) variables[name] = value;
    }
    addBody?.(variables, unread(request, body), request.headers);
    return variables;
  };
}

/** Adds the values of the body to the variables. */
type AddBody = (variables: Variables, ...body: Parameters<ParseBody>) => void;

function compileBodyVariables(
  names: NonNullable<Route["body"]>,
  operation: RestOperation,
  schema: GraphQLSchema,
): AddBody {
  if (typeof names === "string") {
    const parse = compileBody(typeOf(names, operation, schema));
    return (variables, ...body) => {
      variables[names] = parse(...body);
    };
  }
  const parse = compileBody(typeWithMembers(names, operation, schema));
  return (variables, ...body) => void Object.assign(variables, parse(...body));
}

/** An input object type whose members are the variables. */
function typeWithMembers(
  names: readonly string[],
  operation: RestOperation,
  schema: GraphQLSchema,
): GraphQLInputObjectType {
  const fields = names.map((name) => [name, { type: typeOf(name, operation, schema) }]);
  return new GraphQLInputObjectType({ name: "Body", fields: Object.fromEntries(fields) });
}

function typeOf(name: string, { name: operation, variables }: RestOperation, schema: GraphQLSchema): GraphQLInputType {
  const node = variables.find(({ variable }) => variable.name.value === name);
  const type = node && typeFromAST(schema, node.type as TypeNode as Parameters<typeof typeFromAST>[1]);
  if (!isInputType(type)) throw new Error(`operation ${operation} has no variable ${name} for the body`);
  return type;
}

/** An app that mounts the Router must not parse bodies before it. */
function unread(request: IncomingMessage, body: Buffer | null): Buffer | null {
  if (!body && hasBody(request))
    throw new Error("the request body was read before the Router: mount the Router before body parsers");
  return body;
}

/**
 * An empty header counts as absent. A header that occurs twice is refused. `headersDistinct` shows it, because Node.js joins the
 * values in `headers`.
 */
function headerText(name: string, { headers, headersDistinct }: IncomingMessage): string | undefined {
  const value = headers[name];
  if (!value) return undefined;
  const count = headersDistinct[name]?.length ?? 0;
  if (count > 1)
    throw new Failure("INVALID_PARAMETER", `${name} must occur at most once in a request, got ${count} headers`);
  if (typeof value === "string" && /^[\x20-\x7e]{1,255}$/.test(value)) return value;
  throw new Failure(
    "INVALID_PARAMETER",
    `${name} must be at most 255 printable ASCII characters, got ${quoted(value)}`,
  );
}

export type Variables = Record<string, unknown>;

/** Makes an operation's variables from the path's parameters and the query. Throws `INVALID_PARAMETER`. */
export type ParseParameters = (params: Readonly<Record<string, string>>, query: string) => Variables;

interface Parameter {
  readonly name: string;
  /** How the values of a list are separated; null if the parameter has a single value. Every list may also repeat the parameter. */
  readonly list: "commas" | "repeated" | null;
  readonly isRequired: boolean;
  /** Throws a `Failure` with the rule and the value, without the parameter's name. */
  readonly parse: (text: string) => unknown;
}

/** Lists that the REST specification sends in one value, separated by commas. Other lists repeat the parameter. */
const COMMA_SEPARATED: ReadonlySet<string> = new Set(["addresses", "rewardAddresses", "nodeIds"]);

/** Runs a check of a parameter, which throws the rule that is violated. */
type Check = (check: () => void) => void;

/** Ends the request with the first violated rule. */
const stopAtFirst: Check = (check) => check();

/** Collects the violated rules of all checks. */
function collecting(failures: Failure[]): Check {
  return (check) => {
    try {
      check();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failures.push(error);
    }
  };
}

/**
 * Compiles the variables of an operation. A variable that is not in `pathNames` is a parameter of the query. A request that
 * violates several rules fails with the first of them, or with all if `reportsAll`.
 */
export function compileParameters(
  { name, variables }: Pick<RestOperation, "name" | "variables">,
  pathNames: readonly string[],
  schema: GraphQLSchema,
  reportsAll = false,
): ParseParameters {
  const all = new Map(variables.map((node) => [node.variable.name.value, parameterOf(node, schema)]));
  const path = pathNames.map((pathName) => {
    const parameter = all.get(pathName);
    if (!parameter) throw new Error(`operation ${name} has no variable for {${pathName}} of its path`);
    return parameter;
  });
  const query = new Map([...all].filter(([variable]) => !pathNames.includes(variable)));
  const required = [...query.values()].filter(({ isRequired }) => isRequired);
  return (params, text) => {
    const variables: Variables = {};
    const failures: Failure[] = [];
    const run = reportsAll ? collecting(failures) : stopAtFirst;
    for (const parameter of path)
      run(() => {
        variables[parameter.name] = read(parameter, params[parameter.name] as string);
      });
    if (text !== "") readQuery(query, text, variables, run);
    for (const { name: missing } of required)
      run(() => {
        if (variables[missing] === undefined) throw new Failure("INVALID_PARAMETER", `${missing} must be given`);
      });
    if (failures.length > 0) throw joinedFailure(failures);
    return variables;
  };
}

/** Ignores unknown names, treats an empty value as absent, and refuses a repeated parameter unless it is a list. */
function readQuery(parameters: ReadonlyMap<string, Parameter>, query: string, variables: Variables, run: Check): void {
  eachPair(query, (name, text) => {
    const parameter = parameters.get(name) ?? parameters.get(NAME_WITH_SUFFIX.exec(name)?.[1] ?? "");
    if (!parameter) return;
    run(() => {
      requireName(parameter.name, name);
      if (text !== "") readPair(parameter, text, variables);
    });
  });
}

/** A name with something after it that cannot be part of the name of a parameter. */
const NAME_WITH_SUFFIX = /^(\w+)[^\w-]/;
/** What clients append to the name of a list: brackets with nothing or a position in them. */
const LIST_SUFFIX = /^\[\d*\]$/;

/** A suffix that is not understood is an error, because without the parameter the answer would be that of another request. */
function requireName(name: string, sent: string): void {
  const suffix = sent.slice(name.length);
  if (suffix !== "" && !LIST_SUFFIX.test(suffix))
    throw new Failure(
      "INVALID_PARAMETER",
      `${name} must be named ${name}, ${name}[] or ${name}[0], got ${quoted(sent)}`,
    );
}

function readPair(parameter: Parameter, text: string, variables: Variables): void {
  const { name, list } = parameter;
  const before = variables[name];
  if (list !== null) {
    const items = list === "commas" ? text.split(",").map((item) => item.trim()) : [text];
    variables[name] = [...(Array.isArray(before) ? before : []), ...items.flatMap((item) => read(parameter, item))];
  } else if (before !== undefined)
    throw new Failure("INVALID_PARAMETER", `${name} must be given once, got also ${quoted(text)}`);
  else variables[name] = read(parameter, text);
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
  const isList = isListType(getNullableType(type));
  return {
    name,
    list: isList ? (COMMA_SEPARATED.has(name) ? "commas" : "repeated") : null,
    isRequired: isNonNullType(type) && !node.defaultValue,
    parse: parserOf(type),
  };
}

function parserOf(type: GraphQLInputType): (text: string) => unknown {
  const named = getNamedType(type);
  if (isEnumType(named)) return oneOf(namesByText(named));
  const parser = PARSERS[named.name];
  if (!parser) throw new Error(`a REST parameter cannot have the type ${named.name}`);
  return parser;
}

const unchanged = (text: string): string => text;

/** By name, because custom scalars of a schema built from SDL have no parser of their own. */
const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  String: unchanged,
  ID: unchanged,
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

/** Returns the names of a text's values in the graph: a list if there are several. */
function oneOf(names: ReadonlyMap<string, readonly string[]>): (text: string) => unknown {
  const rule = `must be one of ${[...names.keys()].join(", ")}`;
  return (text) => {
    const found = names.get(text);
    if (found) return found.length === 1 ? found[0] : found;
    throw new Failure("INVALID_PARAMETER", `${rule}, got ${quoted(text)}`);
  };
}

/** Calls `visit` with each decoded name and value of a query, in order. A plus sign stands for a space. */
function eachPair(query: string, visit: (name: string, value: string) => void): void {
  for (const pair of query.split("&")) {
    const end = pair.indexOf("=");
    if (end < 0) visit(decodeForm(pair), "");
    else visit(decodeForm(pair.slice(0, end)), decodeForm(pair.slice(end + 1)));
  }
}

function decodeForm(text: string): string {
  return decodePart(text.includes("+") ? text.replaceAll("+", " ") : text);
}
