import { readSpecification } from "../../rest-compat/rest/documents/specification.ts";
import type { Random } from "./random.ts";
import type { AttackRequest } from "./request.ts";
import { hostileText, hostileValue, jsonBytes, type KnownValues, mutated, wellFormed } from "./values.ts";

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly example?: unknown;
  readonly schema?: {
    readonly enum?: readonly unknown[];
    readonly examples?: readonly unknown[];
    readonly minimum?: number;
    readonly maximum?: number;
  };
}

interface Route {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Valid bodies; empty if the route has none. */
  readonly bodies: readonly unknown[];
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

interface Operation {
  readonly parameters?: readonly { readonly $ref: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly examples?: Examples }>> };
}

type Examples = Readonly<Record<string, { readonly value: unknown }>>;

const METHODS = ["GET", "GET", "GET", "GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE"];
const PREFIXES = ["/hosted", "/hosted", "/hosted", "/v1", "//", "/./", "/%2e%2e"];
const HEADERS: readonly (readonly [string, string])[] = [
  ["accept", "text/html"],
  ["accept-encoding", "gzip, br"],
  ["accept-encoding", "zstd;q=2, ,;"],
  ["if-none-match", 'W/"x", *'],
  ["if-none-match", "*"],
  ["x-request-id", 'a b\u00ff"<script>'],
  ["x-service-api-key", "no-such-key"],
  ["x-forwarded-for", '"[::1]:1", 999.1.1.1'],
  ["origin", "null"],
  ["range", "bytes=0-1,5-"],
  ["content-type", "text/plain"],
  ["content-encoding", "gzip"],
  ["expect", "100-continue"],
  ["idempotency-key", "é\u00ff"],
  ["cookie", "a=b"],
];

/** Makes requests of the REST paths from the OpenAPI document. */
export function createRestRequests(known: KnownValues): (random: Random) => AttackRequest {
  const routes = readRoutes();
  return (random) => {
    const route = random.pick(routes);
    const method = random.chance(0.9) ? route.method : random.pick(METHODS);
    const path = pathOf(route, random, known);
    const query = queryOf(route, random, known);
    const body = method === "GET" || method === "HEAD" ? null : bodyOf(route, random, known);
    const headers: Record<string, string> = body ? { "content-type": "application/json" } : {};
    while (random.chance(0.2)) {
      const [name, value] = random.pick(HEADERS);
      headers[name] = value;
    }
    return {
      dialect: "rest",
      method,
      path: (random.chance(0.15) ? random.pick(PREFIXES) : "") + path + query,
      headers,
      body,
    };
  };
}

function readRoutes(): Route[] {
  // The hosted dialect has all routes, and no paths of a node.
  const document = readSpecification("hosted") as unknown as OpenApi;
  const parameterOf = ({ $ref }: { readonly $ref: string }): Parameter => {
    const { example, ...parameter } = document.components.parameters[$ref.split("/").at(-1) ?? ""] as Parameter;
    return { ...parameter, example: example ?? parameter.schema?.examples?.[0] };
  };
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      parameters: parameters.map(parameterOf),
      bodies: Object.values(requestBody?.content["application/json"]?.examples ?? {}).map(({ value }) => value),
    })),
  );
}

function textFor({ example, schema = {} }: Parameter, random: Random, known: KnownValues): string {
  if (random.chance(0.35) && example !== undefined) return String(example);
  if (random.chance(0.4) && schema.enum) return String(random.pick(schema.enum));
  if (random.chance(0.3) && schema.minimum !== undefined)
    return String(random.pick([schema.minimum, schema.maximum ?? 1, schema.minimum - 1, (schema.maximum ?? 0) + 1]));
  return hostileText(random, known);
}

/** Percent-encodes a text, sometimes wrongly. */
function encoded(text: string, random: Random): string {
  const right = encodeURIComponent(wellFormed(text));
  if (random.chance(0.9)) return right;
  switch (random.integer(5)) {
    case 0:
      return `${right}%`;
    case 1:
      return `${right}%zz`;
    case 2:
      return `%ff%fe${right}`;
    case 3:
      return `${right}%c0%80%ed%a0%80`;
    default:
      return [...text].map((char) => (/[!-~\u00a1-\u00ff]/.test(char) && !/[#]/.test(char) ? char : "+")).join("");
  }
}

function pathOf({ path, parameters }: Route, random: Random, known: KnownValues): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.in === "path" && one.name === name) as Parameter;
    // Otherwise most requests would end at the first parameter.
    return encoded(random.chance(0.8) ? likely(parameter, random, known) : textFor(parameter, random, known), random);
  });
  if (random.chance(0.96)) return filled;
  return random.pick([`${filled}/`, filled.replace(":", "%3A"), filled.toUpperCase(), mutatedPath(filled, random)]);
}

/** A value that the data may contain. */
function likely({ name, example, schema = {} }: Parameter, random: Random, known: KnownValues): string {
  if (name === "network") return "fuji";
  if (schema.enum) return String(random.pick(schema.enum));
  if (name === "chainId") return random.pick(known.filter((value) => /^\d+$/.test(value)).concat("1"));
  if (name === "blockchainId") return random.pick(["p-chain", "x-chain", "c-chain"]);
  if (name === "address") return random.pick(known.filter((value) => /^0x.{40}$/.test(value)).concat(String(example)));
  return String(example);
}

function mutatedPath(path: string, random: Random): string {
  return mutated(path, random).replace(/[^!-\u00ff]/g, "~");
}

function queryOf({ parameters }: Route, random: Random, known: KnownValues): string {
  const parts: string[] = [];
  for (const parameter of parameters) {
    if (parameter.in !== "query" || !random.chance(parameter.required ? 0.95 : 0.25)) continue;
    for (let times = random.chance(0.1) ? 2 + random.integer(3) : 1; times > 0; times--)
      parts.push(`${parameter.name}=${encoded(textFor(parameter, random, known), random)}`);
  }
  while (random.chance(0.08))
    parts.push(`${encoded(hostileText(random, []), random)}=${encoded(hostileText(random, known), random)}`);
  if (random.chance(0.03)) parts.push(random.pick(["&&&", "=", "a[b]=c", "a[]=1&a[]=2", "__proto__[x]=1", "?", "&=&"]));
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

function bodyOf({ bodies }: Route, random: Random, known: KnownValues): Buffer | null {
  if (bodies.length === 0) return random.chance(0.5) ? null : jsonBytes(hostileValue(random, known), random);
  const valid = random.pick(bodies) as Readonly<Record<string, unknown>>;
  return jsonBytes(random.chance(0.1) ? hostileValue(random, known) : changed(valid, random, known), random);
}

/** The object with some of its members replaced, removed or added, at any depth. */
function changed(value: Readonly<Record<string, unknown>>, random: Random, known: KnownValues): unknown {
  const entries = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    if (random.chance(0.1)) return [];
    if (random.chance(0.25)) return [[name, hostileValue(random, known)]];
    if (typeof member === "object" && member !== null && !Array.isArray(member))
      return [[name, changed(member as Readonly<Record<string, unknown>>, random, known)]];
    return [[name, member]];
  });
  if (random.chance(0.1)) entries.push([hostileText(random, []), hostileValue(random, known)]);
  return Object.fromEntries(entries);
}
