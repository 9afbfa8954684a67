import {
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  type NamedTypeNode,
  type SelectionNode,
  typeFromAST,
} from "graphql";
import { selectedFields } from "../../core/graph/selection.ts";
import { createPlanner } from "../../gateway/plan/planner.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { loadOperation } from "../../rest-compat/graph/operation.ts";
import { namesByText } from "../../rest-compat/rest/enum-texts.ts";
import { parameterNames } from "../../rest-compat/rest/path.ts";
import { type Dialect, ROUTES, type Route } from "../../rest-compat/routes.ts";
import { HOSTED_SPEC, isValid, resolved, type Schema, SPEC, type Spec, type SpecParameter } from "./contract.ts";

/** The dialects with the specification of each of them. */
const SPECS = [
  ["contract", SPEC],
  ["hosted", HOSTED_SPEC],
] as const;
const specOf = ({ onlyDialect }: Route) => (onlyDialect === "hosted" ? HOSTED_SPEC : SPEC);
const operationOf = (route: Route) => specOf(route).paths[route.path]?.[route.method.toLowerCase()];
const parametersOf = (route: Route) =>
  (operationOf(route)?.parameters ?? []).map(({ $ref }) =>
    resolved<SpecParameter & { in: string }>($ref, specOf(route)),
  );

describe("spec/openapi.json", () => {
  it.each(SPECS)("has exactly the routes of the code in the dialect %s, and probes and downloads", (dialect, spec) => {
    const served = ROUTES.filter(({ onlyDialect = dialect }) => onlyDialect === dialect);
    const table = served.map(({ id, method, path }) => `${id} ${method} ${path}`);
    const operations = Object.entries(spec.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        line: `${operation["x-contract-id"]} ${method.toUpperCase()} ${path}`,
      })),
    );
    const routes = operations.filter((operation) => operation["x-contract-id"] !== undefined);
    expect(routes.map(({ line }) => line).sort()).toEqual(table.sort());
    const others = operations.filter((operation) => operation["x-contract-id"] === undefined);
    expect(
      others.filter(({ tags, operationId }) => !tags.includes("Probes") && operationId !== "downloadExport"),
    ).toEqual([]);
  });

  it.each(ROUTES)("has the eight error statuses for $id", (route) => {
    const statuses = ["200", "400", "401", "403", "404", "429", "500", "502", "503"];
    expect(Object.keys(operationOf(route)?.responses ?? {})).toEqual(statuses);
  });

  it.each(ROUTES)("has the parameters of the operation of $id", (route) => {
    const declared = parametersOf(route);
    const inPath = parameterNames(route.path);
    const inHeaders = new Map(Object.entries(route.headers ?? {}).map(([header, variable]) => [variable, header]));
    const taken = loadOperation(route.operation)
      .variables.map(({ variable }) => variable.name.value)
      .filter((name) => !bodyVariables(route).includes(name))
      .map((name) => inHeaders.get(name) ?? name);
    // Names of headers have no letter case.
    expect(declared.map((one) => (one.in === "header" ? one.name.toLowerCase() : one.name))).toEqual(taken);
    expect(declared.filter((one) => one.in === "header")).toHaveLength(inHeaders.size);
    expect(declared.filter((parameter) => parameter.in === "path").map(({ name }) => name)).toEqual(inPath);
  });

  it.each(ROUTES)("has the values of the enums in the parameters of $id", (route) => {
    const values = parametersOf(route).map(({ name, schema: own }) => [name, valuesOf(own, specOf(route))] as const);
    const accepted = loadOperation(route.operation).variables.map(({ variable, type }) => {
      const named = getNamedType(typeFromAST(schema, type as NamedTypeNode));
      return [variable.name.value, isEnumType(named) ? [...namesByText(named).keys()] : []] as const;
    });
    const enums = accepted.filter(([name, texts]) => texts.length > 0 && !bodyVariables(route).includes(name));
    expect(values.filter(([, texts]) => texts.length > 0)).toEqual(enums);
  });

  it.each(ROUTES)("has the body of the operation of $id, with valid examples, or none", (route) => {
    const content = operationOf(route)?.requestBody?.content["application/json"];
    const taken = loadOperation(route.operation).variables.filter(({ variable }) =>
      bodyVariables(route).includes(variable.name.value),
    );
    const members = taken.flatMap(({ variable, type }) => {
      const at = typeof route.body === "string" ? "body" : `body.${variable.name.value}`;
      return inputFieldsOf(typeFromAST(schema, type as NamedTypeNode), at);
    });
    expect((content ? inputLeavesOf(content.schema, "body") : []).sort()).toEqual(members.sort());
    for (const { value } of Object.values(content?.examples ?? {}))
      expect([value, isValid(content?.schema.$ref?.slice(1) ?? "", value)]).toEqual([value, true]);
  });

  it.each(ROUTES)("has exactly the fields that the operation of $id selects", (route) => {
    const content = operationOf(route)?.responses["200"] as { content: { "application/json": { schema: Schema } } };
    const body = content.content["application/json"].schema;
    const declared = leavesOf(body, "", specOf(route)).map((leaf) => `${route.id} ${leaf}`);
    expect(declared.sort()).toEqual(selectedLeaves(route).sort());
  });

  it.each(ROUTES)("describes the operation of $id, and names it with a verb and a noun", (route) => {
    const { operationId, summary, description } = operationOf(route) ?? {};
    expect(operationId).toMatch(/^(?:get|list|create|start|aggregate)[A-Z][A-Za-z0-9]+$/);
    for (const text of [summary, description]) expect(text).toMatch(/\.$/);
  });

  it("gives each operation one of the tags, and uses every tag", () => {
    const tags = ROUTES.map((route) => operationOf(route)?.tags);
    expect(tags.filter((names) => names?.length !== 1)).toEqual([]);
    expect([...new Set([...tags.flat(), "Probes"])].sort()).toEqual(SPEC.tags.map(({ name }) => name).sort());
  });

  it("gives each operation a unique name", () => {
    const names = ROUTES.map((route) => operationOf(route)?.operationId);
    expect(new Set(names).size).toBe(ROUTES.length);
  });

  it.each(SPECS)("describes every parameter in the dialect %s, with a valid example", (dialect, { components }) => {
    const lacking = Object.entries(components.parameters).filter(
      ([key, { description, required, example, schema: own }]) => {
        const value = required ? example : own.examples?.[0];
        return !description?.endsWith(".") || !isValid(`/components/parameters/${key}/schema`, value, dialect);
      },
    );
    expect(lacking.map(([key]) => key)).toEqual([]);
  });

  it.each(SPECS)(
    "describes every schema and property in the dialect %s, with a valid example unless it has properties of its own",
    (dialect, spec) => {
      const { schemas } = spec.components;
      const lacking = Object.entries(schemas).flatMap(([name, { description, properties = {} }]) => [
        ...(description?.endsWith(".") ? [] : [name]),
        ...Object.entries(properties)
          .filter(([key, property]) => !isDescribed(property, `/components/schemas/${name}/properties/${key}`, dialect))
          .map(([key]) => `${name}.${key}`),
      ]);
      expect(lacking).toEqual([]);
    },
  );

  it.each(SPECS)("forbids additional members in every object in the dialect %s, unless it is a map", (_, spec) => {
    const objects = objectsIn(spec.components.schemas, "schemas");
    const isOpen = ({ properties, additionalProperties: more = true }: Record<string, unknown>) =>
      more !== false && (more === true || properties !== undefined);
    expect(objects.filter(([, schema]) => isOpen(schema))).toEqual([]);
  });
});

/** Variables of the operation that the body sets. */
function bodyVariables({ body = [] }: Route): readonly string[] {
  return typeof body === "string" ? [body] : body;
}

function valuesOf({ $ref, items, enum: values = [] }: Schema, spec: Spec): readonly unknown[] {
  if ($ref) return valuesOf(resolved($ref, spec), spec);
  return items ? valuesOf(items, spec) : values;
}

function isDescribed(property: Schema, path: string, dialect: Dialect): boolean {
  if (!property.description?.endsWith(".")) return false;
  const { examples = [] } = property;
  return (
    hasProperties(property, dialect === "hosted" ? HOSTED_SPEC : SPEC) ||
    (examples.length > 0 && examples.every((example) => isValid(path, example, dialect)))
  );
}

function hasProperties(schema: Schema, spec: Spec): boolean {
  if (schema.$ref) return hasProperties(resolved(schema.$ref, spec), spec);
  if (schema.items) return hasProperties(schema.items, spec);
  return Boolean(schema.properties ?? schema.additionalProperties ?? schema.oneOf ?? schema.anyOf);
}

function leavesOf(schema: Schema, at: string, spec: Spec): string[] {
  if (schema.$ref) return leavesOf(resolved(schema.$ref, spec), at, spec);
  if (schema.items) return leavesOf(schema.items, at, spec);
  if (!schema.properties) return [at];
  return Object.entries(schema.properties).flatMap(([name, member]) =>
    leavesOf(member, at ? `${at}.${name}` : name, spec),
  );
}

const schema: GraphQLSchema = createPlanner(committedSupergraph(), []).schema;

/** Each member of a body with its type: its enum's values, or `list`, and a mark if it is required. */
function inputLeavesOf(schema: Schema, at: string): string[] {
  if (schema.$ref) return inputLeavesOf(resolved(schema.$ref), at);
  if (schema.enum) return [`${at} ${schema.enum.join()}`];
  if (schema.items) return inputLeavesOf(schema.items, `${at}[]`);
  if (!schema.properties) return [`${at} text`];
  return Object.entries(schema.properties).flatMap(([name, member]) =>
    inputLeavesOf(member, `${at}.${name}${schema.required?.includes(name) ? "!" : ""}`),
  );
}

/** The same of an input type of the graph. */
function inputFieldsOf(type: unknown, at: string): string[] {
  if (isNonNullType(type)) return inputFieldsOf(type.ofType, at);
  if (isListType(type)) return inputFieldsOf(type.ofType, `${at}[]`);
  if (isEnumType(type)) return [`${at} ${type.getValues().map(({ name }) => name)}`];
  if (!isInputObjectType(type)) return [`${at} text`];
  return Object.values(type.getFields()).flatMap((field) =>
    inputFieldsOf(field.type, `${at}.${field.name}${isRequiredInputField(field) ? "!" : ""}`),
  );
}

function selectedLeaves({ id, operation, constants = {} }: Route): string[] {
  const { kind, body, fragments } = loadOperation(operation);
  const root = schema.getRootType(kind);
  const type = getNamedType(root?.getFields()[body.name.value]?.type);
  const walk = (parent: unknown, selections: readonly SelectionNode[], at: string): string[] => {
    if (!isCompositeType(parent)) return [at];
    return selectedFields({ schema, fragments }, parent, selections).flatMap((field) =>
      walk(getNamedType(field.type), field.selections, at ? `${at}.${field.key}` : field.key),
    );
  };
  if (!isObjectType(type)) throw new Error(`the body of ${operation} is no object`);
  const selected = walk(type, body.selectionSet?.selections ?? [], "");
  return [...selected, ...Object.keys(constants)].map((leaf) => `${id} ${leaf}`);
}

function objectsIn(value: unknown, at: string): [string, Record<string, unknown>][] {
  if (typeof value !== "object" || value === null) return [];
  const own = "type" in value && value.type === "object" ? [[at, value] as [string, Record<string, unknown>]] : [];
  return [...own, ...Object.entries(value).flatMap(([key, member]) => objectsIn(member, `${at}.${key}`))];
}
