import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { readSpecification } from "../../rest-compat/rest/documents/specification.ts";
import type { Dialect } from "../../rest-compat/routes.ts";

export interface SpecOperation {
  readonly operationId: string;
  /** Number of the endpoint in the REST specification. Probes and downloads have none. */
  readonly "x-contract-id"?: string;
  readonly tags: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly { readonly $ref: string }[];
  readonly requestBody?: {
    readonly content: { readonly "application/json": { readonly schema: Schema; readonly examples: Examples } };
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

export type Examples = Readonly<Record<string, { readonly value: unknown }>>;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | false;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
}

export interface SpecParameter {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  /** Of a required parameter. The page of the documents fills its forms with it. Other parameters have the examples of their schema. */
  readonly example?: unknown;
  readonly schema: Schema;
}

export interface Spec {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** The operations by path and method. */
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, SpecOperation>>>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, SpecParameter>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

/** The REST specification in each dialect, written by hand. No code that answers requests for data reads it. */
const SPECS = { contract: specOf("contract"), hosted: specOf("hosted") } as const;
export const SPEC: Spec = SPECS.contract;
/** It has the operations of all routes: those of `SPEC`, and those that only the hosted dialect has. */
export const HOSTED_SPEC: Spec = SPECS.hosted;

function specOf(dialect: Dialect): Spec {
  return readSpecification(dialect) as unknown as Spec;
}

/** The value of a reference such as `#/components/parameters/chainId`. */
export function resolved<Value>(ref: string, spec: Spec = SPEC): Value {
  const path = ref
    .slice(2)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], spec) as Value;
}

const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true, formats: { "date-time": true } });
ajv.addKeyword("components");
for (const [dialect, { components }] of Object.entries(SPECS)) ajv.addSchema({ $id: dialect, components } as object);

const PATHS = {
  contract: Object.entries(SPECS.contract.paths).map(pathPattern),
  hosted: Object.entries(SPECS.hosted.paths).map(pathPattern),
};

function pathPattern([template, methods]: readonly [string, Spec["paths"][string]]) {
  return { pattern: patternOf(template), methods };
}

/** Matches the paths of a template such as `/v1/chains/{chainId}`, with any number of slashes. */
function patternOf(template: string): RegExp {
  const segments = template.split("/").filter(Boolean);
  return new RegExp(`^/+${segments.map((segment) => segment.replace(/\{\w+\}/, "[^/]+")).join("/+")}/*$`);
}

const validators = new Map<string, ValidateFunction>();

/**
 * True if a value is valid against a schema of the REST specification, given by its path, such as `/components/schemas/Chain`.
 */
export function isValid(path: string, value: unknown, dialect: Dialect = "contract"): boolean {
  return ajv.validate({ $ref: `${dialect}#${path}` }, value);
}

/**
 * Throws if a response violates the REST specification: a status that the operation does not have, or a body with a missing, an
 * additional or an invalid field. Unknown paths and methods must get 404.
 */
export function expectContract(method: string, path: string, status: number, body: unknown): void {
  const [dialect, bare] = placeOf(path);
  const methods = PATHS[dialect].find(({ pattern }) => pattern.test(bare))?.methods ?? {};
  // An unknown method of a known path has the errors of that path.
  const operation = methods[method.toLowerCase()] ?? (status === 404 ? Object.values(methods)[0] : undefined);
  const [name, schema] = operation
    ? [`${dialect} ${operation.operationId} ${status}`, schemaOf(operation, dialect, status)]
    : [`unknown ${status}`, status === 404 || status === 400 ? errorSchema(status) : null];
  if (!schema) throw new Error(`the contract has no status ${status} for ${method} ${path}`);
  const validate = validators.get(name) ?? ajv.compile(schema);
  validators.set(name, validate);
  if (!validate(body))
    throw new Error(`${method} ${path}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`);
}

function placeOf(path: string): [dialect: Dialect, path: string] {
  const bare = path.split("?")[0] as string;
  return bare.startsWith("/hosted/") ? ["hosted", bare.slice("/hosted".length)] : ["contract", bare];
}

function errorSchema(status: 400 | 404): object {
  return { $ref: `contract#/components/schemas/${status === 404 ? "NotFound" : "BadRequest"}` };
}

function schemaOf(operation: SpecOperation, dialect: Dialect, status: number): object | null {
  const response = operation.responses[status] as { readonly $ref?: string } | undefined;
  const { content } = (response?.$ref ? resolved(response.$ref, SPECS[dialect]) : response) as {
    content: { "application/json": { schema: { $ref: string } } };
  };
  return response ? { $ref: `${dialect}${content["application/json"].schema.$ref}` } : null;
}
