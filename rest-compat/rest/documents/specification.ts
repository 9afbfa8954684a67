import { readFileSync } from "node:fs";
import { isObject } from "../../../core/formats/json.ts";
import type { Dialect } from "../../routes.ts";

export interface OpenApi {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, SpecifiedOperation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, SpecifiedResponse>>;
    readonly [kind: string]: Readonly<Record<string, unknown>>;
  };
}

export interface SpecifiedOperation {
  readonly operationId: string;
  readonly summary: string;
  /** Empty for an operation that ignores API keys and has no rate limit. Default: that of the document. */
  readonly security?: readonly unknown[];
  readonly responses: Readonly<Record<string, SpecifiedResponse | { readonly $ref: string }>>;
}

export interface SpecifiedResponse {
  headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { example?: unknown }>>;
}

/**
 * The REST specification in a dialect. `spec/openapi.json` has the paths and responses of the dialect `contract`, and `spec/hosted.json`
 * is a JSON Merge Patch (RFC 7396) with the differences of the hosted dialect.
 */
export function readSpecification(dialect: Dialect): OpenApi {
  const contract = readSpecFile("openapi.json");
  return (dialect === "contract" ? contract : merged(contract, readSpecFile("hosted.json"))) as OpenApi;
}

/** The content of a file in `spec/`. */
export function readSpecFile(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../../spec/${name}`, import.meta.url), "utf8"));
}

function merged(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const members = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch))
    if (value === null) members.delete(name);
    else members.set(name, merged(members.get(name), value));
  return Object.fromEntries(members);
}
