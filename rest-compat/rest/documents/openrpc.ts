import { readExamples } from "./examples.ts";
import { readSpecFile } from "./specification.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

export interface OpenRpc {
  readonly info: Readonly<Record<string, unknown>>;
  readonly methods: readonly RpcMethod[];
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly tags: Readonly<Record<string, { readonly name: string; readonly description: string }>>;
    readonly errors: Readonly<Record<string, RpcErrorObject>>;
  };
}

export interface RpcMethod {
  readonly name: string;
  /** Number in the specification of the node interface. */
  readonly "x-contract-id": string;
  readonly tags: readonly { readonly $ref: string }[];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly servers: readonly [{ readonly url: string }];
  readonly params: readonly RpcParameter[];
  readonly result: { readonly name: string; readonly schema: JsonSchema };
  readonly errors: readonly { readonly $ref: string }[];
  /** The specification has none. */
  readonly examples?: readonly [{ readonly result: { readonly value: unknown } }];
}

interface RpcParameter {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly schema: { readonly examples: readonly [unknown] };
}

interface RpcErrorObject {
  readonly code: number;
  readonly message: string;
}

/** The specification of the node interface, `spec/openrpc.json`. */
function readRpcSpecification(): OpenRpc {
  return readSpecFile("openrpc.json") as OpenRpc;
}

/** The OpenRPC document: the specification with an example of each method that the demo has answered. */
export function openRpcDocument(): OpenRpc {
  const document = readRpcSpecification();
  const results = readExamples().rpc;
  return {
    ...document,
    methods: document.methods.map((method) => ({
      ...method,
      examples: [
        {
          name: "demo",
          summary: "An answer of the demo.",
          params: Object.entries(exampleParams(method)).map(([name, value]) => ({ name, value })),
          result: { name: method.result.name, value: results[method.name] },
        },
      ],
    })),
  };
}

/** The parameters of a method with the values of their examples. */
function exampleParams({ params }: RpcMethod): Readonly<Record<string, unknown>> {
  return Object.fromEntries(params.map(({ name, schema }) => [name, schema.examples[0]]));
}

/**
 * The OpenRPC document as an OpenAPI document, for the page of the documents: each method is a POST request to a path with the name of the
 * method as its fragment, which browsers do not send.
 */
export function rpcAsOpenApi(): object {
  const { info, methods, components } = readRpcSpecification();
  const results = readExamples().rpc;
  return {
    openapi: "3.1.0",
    info,
    servers: [{ url: ".." }],
    security: [{}, { apiKey: [] }],
    tags: Object.values(components.tags),
    paths: Object.fromEntries(
      methods.map((method) => [
        `/${method.servers[0].url}#${method.name}`,
        { post: operationOf(method, results[method.name], components) },
      ]),
    ),
    components: {
      schemas: components.schemas,
      securitySchemes: { apiKey: { type: "apiKey", in: "header", name: "x-service-api-key" } },
    },
  };
}

function operationOf(method: RpcMethod, result: unknown, components: OpenRpc["components"]): object {
  const { name, tags, summary, description, deprecated = false } = method;
  const errors = method.errors.map(({ $ref }) => components.errors[lastPart($ref)]);
  const table = errors.map((error) => `- \`${error?.code}\` ${error?.message}`).join("\n");
  return {
    operationId: name,
    tags: tags.map(({ $ref }) => lastPart($ref)),
    summary: `${name}: ${summary}`,
    description: [description, `**Errors**\n\n${table}`].filter(Boolean).join("\n\n"),
    deprecated,
    requestBody: { required: true, content: { "application/json": requestOf(method) } },
    responses: {
      200: {
        description: "The result, or an error of the node.",
        content: { "application/json": answerOf(method, result) },
      },
    },
  };
}

function requestOf(method: RpcMethod): object {
  const { name, params } = method;
  const properties = params.map(({ name: member, description, schema }) => [member, { description, ...schema }]);
  const required = params.flatMap((one) => (one.required ? [one.name] : []));
  const envelope = { jsonrpc: "2.0", id: 1, method: name };
  const object = { type: "object", properties: Object.fromEntries(properties), required };
  return {
    schema: {
      type: "object",
      required: ["jsonrpc", "id", "method", ...(required.length > 0 ? ["params"] : [])],
      properties: {
        jsonrpc: { const: "2.0" },
        id: { type: "integer" },
        method: { const: name },
        ...(params.length > 0 ? { params: object } : {}),
      },
    },
    example: params.length > 0 ? { ...envelope, params: exampleParams(method) } : envelope,
  };
}

function answerOf({ result: { schema } }: RpcMethod, result: unknown): object {
  return {
    schema: {
      type: "object",
      properties: { jsonrpc: { const: "2.0" }, result: schema, id: { type: "integer" } },
    },
    example: { jsonrpc: "2.0", result, id: 1 },
  };
}

function lastPart(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
