import type { IncomingMessage } from "node:http";
import {
  GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputType,
  type TypeNode,
  typeFromAST,
} from "graphql";
import { Failure, quoted } from "../../../core/errors/errors.ts";
import { hasBody } from "../../../core/http/body.ts";
import type { RestOperation } from "../../graph/operation.ts";
import type { Route } from "../../routes.ts";
import type { RestRequest } from "../answer.ts";
import { parameterNames } from "../path.ts";
import { formOf } from "../reply.ts";
import { compileBody, type ParseBody } from "./json-body.ts";
import { compileParameters, type Variables } from "./parameters.ts";

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
