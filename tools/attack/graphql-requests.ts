import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from "graphql";
import type { Random } from "./random.ts";
import type { AttackRequest } from "./request.ts";
import { hostileText, hostileValue, jsonBytes, type KnownValues, mutated, wellFormed } from "./values.ts";

const MAX_DEPTH = 4;
const ACCEPTS = [
  "application/json",
  "application/graphql-response+json",
  "*/*",
  "text/plain",
  "application/json;q=0, */*;q=0.1",
  ", ;;",
];
const CONTENT_TYPES = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=a",
  "",
  "application/graphql",
  "application/json; charset=latin1",
];

/** What is collected while a document is written. */
interface Draft {
  readonly random: Random;
  readonly known: KnownValues;
  readonly schema: GraphQLSchema;
  readonly declarations: string[];
  readonly variables: Record<string, unknown>;
  readonly fragments: string[];
}

/** Makes requests of `/graphql` from the schema that callers see. */
export function createGraphqlRequests(schema: GraphQLSchema, known: KnownValues): (random: Random) => AttackRequest {
  return (random) => {
    const { query, variables } = random.chance(0.06) ? extremeDocument(random) : document({ random, known, schema });
    const payload: Record<string, unknown> = { query: random.chance(0.06) ? mutated(query, random) : query };
    if (Object.keys(variables).length > 0 || random.chance(0.1))
      payload["variables"] = random.chance(0.92) ? variables : hostileValue(random, known);
    if (random.chance(0.05))
      payload["operationName"] = random.pick([null, "", "A", "__proto__", 1, hostileValue(random, known)]);
    if (random.chance(0.04)) payload["extensions"] = extensions(random, known);
    if (random.chance(0.02)) delete payload["query"];
    return random.chance(0.1) ? getRequest(payload, random) : postRequest(payload, random);
  };
}

function extensions(random: Random, known: KnownValues): unknown {
  const sha256Hash = random.pick(["", "a".repeat(64), "__proto__", 1, hostileText(random, known)]);
  return random.pick([
    { persistedQuery: { version: random.pick([1, 2, "1"]), sha256Hash } },
    hostileValue(random, known),
  ]);
}

function postRequest(payload: Record<string, unknown>, random: Random): AttackRequest {
  const headers: Record<string, string> = {
    "content-type": random.chance(0.96) ? "application/json" : random.pick(CONTENT_TYPES),
    accept: random.chance(0.9) ? "application/json" : random.pick(ACCEPTS),
  };
  const body = random.chance(0.02) ? batchOf(payload, random) : payload;
  return {
    dialect: "graphql",
    method: random.chance(0.99) ? "POST" : random.pick(["PUT", "DELETE", "HEAD"]),
    path: "/graphql",
    headers,
    body: jsonBytes(body, random),
  };
}

/** Repeated long documents would be longer than the longest text. The limit of bodies refuses one of them already. */
const MAX_REPEATED_LENGTH = 100_000;

function batchOf(payload: Record<string, unknown>, random: Random): unknown[] {
  const length = random.pick([0, 2, 100]);
  const isLong = String(payload["query"]).length > MAX_REPEATED_LENGTH;
  return Array.from({ length: isLong ? Math.min(length, 2) : length }, () => payload);
}

function getRequest(payload: Record<string, unknown>, random: Random): AttackRequest {
  const parts = Object.entries(payload).map(([name, value]) => {
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    return `${name}=${encodeURIComponent(wellFormed(text))}`;
  });
  if (random.chance(0.1)) parts.push(random.pick(["query={__typename}", "%", "query=%ff", "variables=%7B", "a=b"]));
  const path = `/graphql?${parts.join("&")}`.slice(0, 14_000);
  return { dialect: "graphql", method: "GET", path, headers: { accept: random.pick(ACCEPTS) }, body: null };
}

interface Document {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

function document(base: Pick<Draft, "random" | "known" | "schema">): Document {
  const { random, schema } = base;
  const draft: Draft = { ...base, declarations: [], variables: {}, fragments: [] };
  const kind = random.chance(0.93) ? "query" : random.pick(["mutation", "subscription"] as const);
  const root = {
    query: schema.getQueryType(),
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  }[kind];
  const selection = selectionOf(root as GraphQLObjectType, draft, 0);
  const declared = draft.declarations.length > 0 ? `(${draft.declarations.join(" ")})` : "";
  const other = random.chance(0.03) ? "query A { __typename }" : "";
  const query = `${kind} ${random.chance(0.1) ? "A" : "Q"}${declared}${directives(draft)} ${selection} ${draft.fragments.join(" ")} ${other}`;
  return { query, variables: draft.variables };
}

function directives({ random }: Draft): string {
  if (!random.chance(0.04)) return "";
  return random.pick([
    " @skip(if: true)",
    " @include(if: $missing)",
    " @skip",
    " @unknown",
    " @include(if: false) @skip(if: false)",
    ' @deprecated(reason: "a")',
    " @skip(if: false) @skip(if: true)",
    " @defer",
    " @stream",
  ]);
}

function selectionOf(type: GraphQLObjectType, draft: Draft, depth: number): string {
  const { random } = draft;
  const fields = Object.values(type.getFields());
  const parts: string[] = [];
  const count = depth === 0 ? 1 + random.integer(2) : 1 + random.integer(5);
  for (let i = 0; i < count; i++) parts.push(fieldText(random.pick(fields), draft, depth));
  if (random.chance(0.05)) parts.push("__typename");
  if (random.chance(0.01))
    parts.push(
      random.pick([
        "unknownField",
        "__schema { types { name } }",
        "__type",
        "...",
        "... on Nothing { a }",
        "_service { sdl }",
        "_entities(representations: []) { __typename }",
      ]),
    );
  if (random.chance(0.06)) parts.push(fragmentSpread(type, draft, depth));
  return `{ ${parts.join(" ")} }`;
}

/** A spread of a new fragment, which may contain itself or another one. */
function fragmentSpread(type: GraphQLObjectType, draft: Draft, depth: number): string {
  const { random, fragments } = draft;
  const name = `F${fragments.length}`;
  const index = fragments.push("") - 1;
  const field =
    depth >= MAX_DEPTH ? "__typename" : fieldText(random.pick(Object.values(type.getFields())), draft, depth);
  const more = random.chance(0.2) ? `...${random.pick([name, "F0", "F1", "Missing"])}` : "";
  fragments[index] = `fragment ${name} on ${random.chance(0.95) ? type.name : "Nothing"} { ${field} ${more} }`;
  return random.chance(0.8) ? `...${name}${directives(draft)}` : `...${name} ... on ${type.name} { ...${name} }`;
}

function fieldText(field: GraphQLField<unknown, unknown>, draft: Draft, depth: number): string {
  const { random } = draft;
  const alias = random.chance(0.15) ? `${random.pick(["a", "b", "__proto__", "constructor", "data", "_x1"])}: ` : "";
  const args = field.args
    .filter((arg) => random.chance(isNonNullType(arg.type) ? 0.97 : 0.35))
    .map((arg) => argumentText(arg, draft));
  if (random.chance(0.01)) args.push("unknown: 1");
  const given = args.length > 0 ? `(${args.join(" ")})` : "";
  return `${alias}${field.name}${given}${directives(draft)} ${selectionFor(field.type, draft, depth)}`;
}

function selectionFor(output: GraphQLOutputType, draft: Draft, depth: number): string {
  const type = getNamedType(output);
  if (!isObjectType(type)) return isAbstractType(type) ? "{ __typename }" : draft.random.chance(0.01) ? "{ a }" : "";
  return depth >= MAX_DEPTH ? "{ __typename }" : selectionOf(type, draft, depth + 1);
}

function argumentText({ name, type }: GraphQLArgument, draft: Draft): string {
  const { random, declarations, variables } = draft;
  const value = inputValue(type, draft, name, 0);
  if (random.chance(0.5)) return `${name}: ${literal(value, type, random)}`;
  const variable = `v${declarations.length}`;
  const declared = random.chance(0.95)
    ? String(type)
    : random.pick(["String", "Int!", "[String!]!", "Nothing", "Float"]);
  declarations.push(`$${variable}: ${declared}${random.chance(0.05) ? " = null" : ""}`);
  if (random.chance(0.97)) variables[variable] = value;
  return `${name}: $${variable}`;
}

/** A JSON value for an argument: mostly of its type. */
function inputValue(type: GraphQLInputType, draft: Draft, name: string, depth: number): unknown {
  const { random, known } = draft;
  if (random.chance(0.07)) return hostileValue(random, known);
  if (isNonNullType(type)) return inputValue(type.ofType, draft, name, depth);
  if (random.chance(0.05)) return null;
  if (isListType(type)) {
    const length = random.pick([0, 1, 1, 2, 5, 200, 5_001]);
    const item = inputValue(type.ofType, draft, name, depth + 1);
    return length < 6
      ? Array.from({ length }, () => inputValue(type.ofType, draft, name, depth + 1))
      : Array.from({ length }, () => item);
  }
  if (isEnumType(type)) return random.pick(type.getValues()).name;
  if (isInputObjectType(type) && depth < 5)
    return Object.fromEntries(
      Object.values(type.getFields())
        .filter((field) => isNonNullType(field.type) || random.chance(0.6))
        .map((field) => [field.name, inputValue(field.type, draft, field.name, depth + 1)]),
    );
  return scalarValue(isScalarType(type) ? type.name : "", name, draft);
}

function scalarValue(type: string, name: string, { random, known }: Draft): unknown {
  if (type === "Boolean") return random.chance(0.5);
  if (type === "Int" || type === "Float" || type === "Integer")
    return random.pick([0, 1, 2, 10, 100, 101, -1, 2 ** 31 - 1, 2 ** 31, 2 ** 53, 1.5, 1e300]);
  if (name === "chainId" && random.chance(0.8))
    return random.pick(known.filter((value) => /^\d+$/.test(value)).concat("1"));
  if (/[aA]ddress/.test(name) && random.chance(0.6))
    return random.pick(known.filter((value) => /^0x.{40}$/.test(value)).concat("0x"));
  return hostileText(random, known);
}

/** The value as a GraphQL literal. Names that no literal can have, and surrogates, stay: the server must refuse them. */
function literal(value: unknown, type: GraphQLInputType, random: Random): string {
  const inner = isNonNullType(type) ? type.ofType : type;
  if (typeof value === "string" && isEnumType(getNamedType(inner)) && random.chance(0.95)) return value;
  if (Array.isArray(value))
    return `[${value.map((item) => literal(item, isListType(inner) ? inner.ofType : inner, random)).join(" ")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = isInputObjectType(inner) ? inner.getFields() : {};
    return `{${Object.entries(value)
      .map(([name, member]) => `${name}: ${literal(member, fields[name]?.type ?? inner, random)}`)
      .join(" ")}}`;
  }
  return random.chance(0.02) ? random.pick(['"""', "$undeclared", "1.", "0x1", "nul"]) : JSON.stringify(value);
}

/** Documents that are expensive to parse, validate or run. */
function extremeDocument(random: Random): Document {
  const size = random.pick([20, 500, 5_000, 20_000]);
  const query = random.pick([
    () => `{ ${Array.from({ length: size }, (_, i) => `a${i}: __typename`).join(" ")} }`,
    () => `{ ${Array.from({ length: size }, (_, i) => `a${i}: chains { chains { chainId } }`).join(" ")} }`,
    () => `{ chains ${"{ chains ".repeat(size)} { chainId } ${"}".repeat(size)} }`,
    () => "{".repeat(size),
    () => `{ chain(chainId: ${"[".repeat(size)}${"]".repeat(size)}) { chainId } }`,
    () => `{ chain(chainId: ${"{a:".repeat(size)}1${"}".repeat(size)}) { chainId } }`,
    () => `query (${Array.from({ length: size }, (_, i) => `$v${i}: String`).join(" ")}) { __typename }`,
    () =>
      `{ ...F0 } ${Array.from({ length: size }, (_, i) => `fragment F${i} on Query { ...F${(i + 1) % size} }`).join(" ")}`,
    () =>
      `{ ...F0 } ${Array.from({ length: Math.min(size, 30) }, (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`).join(" ")} fragment F${Math.min(size, 30)} on Query { __typename }`,
    () => `{ __typename ${"@skip(if: false) ".repeat(size)} }`,
    () => `{ ${"__typename ".repeat(size)} }`,
    () => `# ${"a".repeat(size)}\n{ __typename }`,
    () => `{ chain(chainId: "${"\\u0000".repeat(size)}") { chainId } }`,
    () => `{ chain(chainId: """${"\n".repeat(size)}""") { chainId } }`,
    () =>
      `{ __schema { types { fields { type { ${"ofType { ".repeat(Math.min(size, 100))} name ${"}".repeat(Math.min(size, 100))} } } } } }`,
    () => `{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }`,
    () => `${"query A { __typename } ".repeat(Math.min(size, 1_000))}`,
    () => `query A${"a".repeat(size)} { __typename }`,
    () => `{ ${"a".repeat(size)} }`,
    () => `fragment F on Query { __typename }`,
    () => `type Query { a: Int }`,
    () => "\ufeff{ __typename }",
    () => "",
  ])();
  return { query, variables: {} };
}
