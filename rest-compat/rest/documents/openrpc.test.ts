import { createRequire } from "node:module";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { FAILURES, type FailureCode } from "../../../core/errors/errors.ts";
import { INVALID_REQUEST, PARSE_ERROR } from "../../node/rpc/error-codes.ts";
import { METHODS } from "../../node/rpc/methods.ts";
import { openRpcDocument } from "./openrpc.ts";

/** Failures that no method of a node can have. */
const NOT_OF_METHODS: readonly FailureCode[] = ["NOT_FOUND", "OPERATION_TOO_COMPLEX"];
const RPC_CODES = Object.entries(FAILURES).flatMap(([code, { rpc }]) =>
  NOT_OF_METHODS.includes(code as FailureCode) ? [] : [rpc],
);

const { default: OPENRPC_SCHEMA } = createRequire(import.meta.url)("@open-rpc/meta-schema") as {
  readonly default: object;
};

const document = openRpcDocument();
const { methods, components } = document;

describe("the OpenRPC document", () => {
  it("is valid against the schema of OpenRPC documents", () => {
    const ajv = new Ajv({ strict: false, validateSchema: false, validateFormats: false });
    // The schema of JSON Schema that it refers to, by two names. Another test validates values against our schemas.
    const jsonSchema = { definitions: { JSONSchemaObject: { properties: { $ref: { type: "string" } } } } };
    for (const name of ["https://meta.json-schema.tools", "https://meta.json-schema.tools/"])
      ajv.addSchema(jsonSchema, name);
    const validate = ajv.compile(OPENRPC_SCHEMA);
    expect([validate(document), ajv.errorsText(validate.errors)]).toEqual([true, "No errors"]);
    expect(validate({ ...document, methods: [{ name: "info.acps" }] })).toBe(false);
  });

  it("has exactly the methods of the code, with their paths and parameters", () => {
    const described = methods.map((method) => ({
      id: method["x-contract-id"],
      name: method.name,
      path: `/${method.servers[0].url}`,
      parameters: method.params.map(({ name }) => name),
    }));
    const served = METHODS.map(({ id, name, path, parameters }) => ({
      id,
      name,
      path,
      parameters: parameters.map(({ member }) => member),
    }));
    expect(described).toEqual(served);
  });

  it("has exactly the error codes of the code", () => {
    const codes = Object.values(components.errors).map(({ code }) => code);
    expect(new Set(codes)).toEqual(new Set([...RPC_CODES, PARSE_ERROR, INVALID_REQUEST]));
    const used = new Set(methods.flatMap(({ errors }) => errors.map(({ $ref }) => $ref.split("/").at(-1))));
    expect([...used].sort()).toEqual(Object.keys(components.errors).sort());
  });

  it("describes every method, parameter and schema", () => {
    const texts = [
      ...methods.flatMap(({ summary, description = summary, params }) => [
        summary,
        description,
        ...params.map((one) => one.description),
      ]),
      ...Object.values(components.schemas).flatMap(({ description, properties = {} }) => [
        description,
        ...Object.values(properties as Record<string, { description?: string; $ref?: string }>).map(
          (property) => property.description ?? property.$ref?.replace(/.+/, "Described by its reference."),
        ),
      ]),
    ];
    expect(texts.filter((text) => typeof text !== "string" || !text.endsWith("."))).toEqual([]);
  });

  it("has examples of parameters and results that are valid", () => {
    const ajv = new Ajv2020({ strict: false, formats: { "date-time": true } });
    const errorsOf = (schema: object, value: unknown) =>
      ajv.validate({ ...schema, components }, value) ? null : ajv.errorsText();
    const errors = methods.flatMap(({ name, params, result, examples }) => [
      ...params.map((one) => [name, errorsOf(one.schema, one.schema.examples[0])]),
      [name, errorsOf(result.schema, examples?.[0].result.value)],
    ]);
    expect(errors.filter(([, text]) => text !== null)).toEqual([]);
  });
});
