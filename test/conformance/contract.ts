import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

export interface SpecOperation {
  readonly operationId: string;
  /** Number of the endpoint in the REST specification. */
  readonly "x-contract-id": string;
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
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly oneOf?: readonly Schema[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
}

export interface SpecParameter {
  readonly name: string;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: Schema;
}

export interface Spec {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** The operations by path and method. */
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, SpecOperation>>>>;
  /** The servers of paths that name their own. */
  readonly servers: Readonly<Record<string, readonly { readonly url: string }[]>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, SpecParameter>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

/** The REST specification, written by hand. No code of the server reads it. */
export const SPEC: Spec = readSpec();

function readSpec(): Spec {
  type Path = { readonly servers?: Spec["servers"][string] } & Spec["paths"][string];
  const file = readFileSync(new URL("../../spec/openapi.json", import.meta.url), "utf8");
  const document = JSON.parse(file) as Omit<Spec, "paths"> & { readonly paths: Readonly<Record<string, Path>> };
  const paths = Object.entries(document.paths).map(([path, { servers, ...operations }]) => ({
    path,
    servers,
    operations,
  }));
  return {
    ...document,
    paths: Object.fromEntries(paths.map(({ path, operations }) => [path, operations])),
    servers: Object.fromEntries(paths.flatMap(({ path, servers }) => (servers ? [[path, servers]] : []))),
  };
}

/** The value of a reference such as `#/components/parameters/chainId`. */
export function resolved<Value>(ref: string): Value {
  const path = ref
    .slice(2)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], SPEC) as Value;
}

const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
ajv.addSchema({ $id: "openapi.json", components: SPEC.components } as object);
ajv.addKeyword("components");

const paths = Object.entries(SPEC.paths).map(([template, methods]) => ({ pattern: patternOf(template), methods }));

/** Matches the paths of a template such as `/v1/chains/{chainId}`, with any number of slashes. */
function patternOf(template: string): RegExp {
  const segments = template.split("/").filter(Boolean);
  return new RegExp(`^/+${segments.map((segment) => segment.replace(/\{\w+\}/, "[^/]+")).join("/+")}/*$`);
}

const validators = new Map<string, ValidateFunction>();

/**
 * True if a value is valid against a schema of the REST specification, given by its path, such as `/components/schemas/Chain`.
 */
export function isValid(path: string, value: unknown): boolean {
  return ajv.validate({ $ref: `openapi.json#${path}` }, value);
}

/**
 * Throws if a response violates the REST specification: a status that the operation does not have, or a body with a missing, an
 * additional or an invalid field. Unknown paths and methods must get 404.
 */
export function expectContract(method: string, path: string, status: number, body: unknown): void {
  const bare = path.split("?")[0] as string;
  const methods = paths.find(({ pattern }) => pattern.test(bare))?.methods ?? {};
  // An unknown method of a known path has the errors of that path.
  const operation = methods[method.toLowerCase()] ?? (status === 404 ? Object.values(methods)[0] : undefined);
  const [name, schema] = operation
    ? [`${operation.operationId} ${status}`, schemaOf(operation, status)]
    : [`unknown ${status}`, status === 404 || status === 400 ? errorSchema(status) : null];
  if (!schema) throw new Error(`the contract has no status ${status} for ${method} ${path}`);
  const validate = validators.get(name) ?? ajv.compile(schema);
  validators.set(name, validate);
  if (!validate(body))
    throw new Error(`${method} ${path}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`);
}

function errorSchema(status: 400 | 404): object {
  return { $ref: `openapi.json#/components/schemas/${status === 404 ? "NotFound" : "BadRequest"}` };
}

function schemaOf(operation: SpecOperation, status: number): object | null {
  const response = operation.responses[status] as { readonly $ref?: string } | undefined;
  const { content } = (response?.$ref ? resolved(response.$ref) : response) as {
    content: { "application/json": { schema: { $ref: string } } };
  };
  return response ? { $ref: `openapi.json${content["application/json"].schema.$ref}` } : null;
}
