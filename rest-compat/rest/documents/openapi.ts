import type { Dialect } from "../../routes.ts";
import { readExamples } from "./examples.ts";
import { type OpenApi, readSpecification, type SpecifiedOperation, type SpecifiedResponse } from "./specification.ts";

/** Headers of every response to a request that counts towards a rate limit. */
const LIMIT_HEADERS = ["ratelimit-policy", "ratelimit", "ratelimit-limit", "ratelimit-remaining"];

/** Headers of responses with a status. */
const HEADERS_OF_STATUS: Readonly<Record<string, readonly string[]>> = {
  429: ["ratelimit-reset", "retry-after"],
  503: ["retry-after"],
};

/** The OpenAPI document of a dialect: the specification with the headers of responses, and with examples that the demo has answered. */
export function openApiDocument(dialect: Dialect): OpenApi {
  const document = readSpecification(dialect);
  const examples = readExamples().rest;
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods))
      for (const [status, specified] of Object.entries(operation.responses)) {
        // Several operations share a response, which then has the same headers for each of them.
        const response = "$ref" in specified ? resolved(document, specified.$ref) : specified;
        const headers = headerNames(operation, { path, method, status });
        if (headers.length > 0) response.headers = { ...response.headers, ...references(headers) };
        const json = response.content?.["application/json"];
        const example = examples[operation.operationId]?.[dialect] ?? examples[operation.operationId]?.contract;
        if (json && status.startsWith("2") && example !== undefined) json.example = example;
      }
  return document;
}

function resolved({ components }: OpenApi, reference: string): SpecifiedResponse {
  const name = reference.slice("#/components/responses/".length);
  const response = components.responses[name];
  if (!response) throw new Error(`the specification does not have ${reference}`);
  return response;
}

interface Place {
  readonly path: string;
  readonly method: string;
  readonly status: string;
}

function headerNames({ security }: SpecifiedOperation, { path, method, status }: Place): readonly string[] {
  // These paths have the headers of a node.
  if (path.startsWith("/ext/")) return [];
  const ofStatus = HEADERS_OF_STATUS[status] ?? [];
  if (security?.length === 0) return ["x-request-id", ...ofStatus];
  const tag = method === "get" && status.startsWith("2") ? ["etag"] : [];
  return ["x-request-id", ...tag, ...LIMIT_HEADERS, ...ofStatus];
}

function references(headers: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
