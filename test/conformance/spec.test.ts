import {
  buildSchema,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isObjectType,
  type SelectionNode,
} from "graphql";
import { createPassThrough } from "../../gateway/pass-through.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { loadOperation } from "../../rest-compat/graph/operation.ts";
import { parameterNames } from "../../rest-compat/rest/path.ts";
import { selectedFields } from "../../rest-compat/rest/serialise/selection.ts";
import { ROUTES, type Route } from "../../rest-compat/routes.ts";
import { isValid, resolved, type Schema, SPEC } from "./contract.ts";

const operationOf = ({ path, method }: Route) => SPEC.paths[path]?.[method.toLowerCase()];

describe("spec/openapi.json", () => {
  it("has exactly the routes of the code", () => {
    const table = ROUTES.map(({ id, method, path }) => `${id} ${method} ${path}`);
    const spec = Object.entries(SPEC.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => `${operation["x-contract-id"]} ${method.toUpperCase()} ${path}`,
      ),
    );
    expect(spec.sort()).toEqual(table.sort());
  });

  it.each(ROUTES)("has the eight error statuses for $id", (route) => {
    const statuses = ["200", "400", "401", "403", "404", "429", "500", "502", "503"];
    expect(Object.keys(operationOf(route)?.responses ?? {})).toEqual(statuses);
  });

  it.each(ROUTES)("has the parameters of the operation of $id", (route) => {
    const declared = (operationOf(route)?.parameters ?? []).map(({ $ref }) =>
      resolved<{ name: string; in: string }>($ref),
    );
    const inPath = parameterNames(route.path);
    const taken = loadOperation(route.operation).variables.map(({ variable }) => variable.name.value);
    expect(declared.map(({ name }) => name)).toEqual(taken);
    expect(declared.filter((parameter) => parameter.in === "path").map(({ name }) => name)).toEqual(inPath);
  });

  it.each(ROUTES)("has exactly the fields that the operation of $id selects", (route) => {
    const content = operationOf(route)?.responses["200"] as { content: { "application/json": { schema: Schema } } };
    const declared = leavesOf(content.content["application/json"].schema, "").map((leaf) => `${route.id} ${leaf}`);
    expect(declared.sort()).toEqual(selectedLeaves(route).sort());
  });

  it.each(ROUTES)("describes the operation of $id, and names it with a verb and a noun", (route) => {
    const { operationId, summary, description } = operationOf(route) ?? {};
    expect(operationId).toMatch(/^(?:get|list|create|start)[A-Z][A-Za-z0-9]+$/);
    for (const text of [summary, description]) expect(text).toMatch(/\.$/);
  });

  it("gives each operation a unique name", () => {
    const names = ROUTES.map((route) => operationOf(route)?.operationId);
    expect(new Set(names).size).toBe(ROUTES.length);
  });

  it("describes every parameter, with a valid example", () => {
    const lacking = Object.entries(SPEC.components.parameters).filter(
      ([key, { description, example }]) =>
        !description?.endsWith(".") || !isValid(`/components/parameters/${key}/schema`, example),
    );
    expect(lacking.map(([key]) => key)).toEqual([]);
  });

  it("describes every property, with a valid example unless it has properties of its own", () => {
    const lacking = Object.entries(SPEC.components.schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([key, property]) => !isDescribed(property, `/components/schemas/${name}/properties/${key}`))
        .map(([key]) => `${name}.${key}`),
    );
    expect(lacking).toEqual([]);
  });

  it("forbids additional members in every object", () => {
    const objects = objectsIn(resolved("#/components/schemas"), "schemas");
    expect(objects.filter(([, schema]) => schema["additionalProperties"] !== false)).toEqual([]);
  });
});

function isDescribed(property: Schema, path: string): boolean {
  if (!property.description?.endsWith(".")) return false;
  const { examples = [] } = property;
  return hasProperties(property) || (examples.length > 0 && examples.every((example) => isValid(path, example)));
}

function hasProperties(schema: Schema): boolean {
  if (schema.$ref) return hasProperties(resolved(schema.$ref));
  if (schema.items) return hasProperties(schema.items);
  return Boolean(schema.properties ?? schema.patternProperties ?? schema.oneOf);
}

function leavesOf(schema: Schema, at: string): string[] {
  if (schema.$ref) return leavesOf(resolved(schema.$ref), at);
  if (schema.items) return leavesOf(schema.items, at);
  if (!schema.properties) return [at];
  return Object.entries(schema.properties).flatMap(([name, member]) => leavesOf(member, at ? `${at}.${name}` : name));
}

const schema: GraphQLSchema = buildSchema(createPassThrough(committedSupergraph(), []).consumerSdl);

function selectedLeaves({ id, operation }: Route): string[] {
  const { body, fragments } = loadOperation(operation);
  const type = getNamedType(schema.getQueryType()?.getFields()[body.name.value]?.type);
  const walk = (parent: unknown, selections: readonly SelectionNode[], at: string): string[] => {
    if (!isCompositeType(parent)) return [at];
    return selectedFields({ schema, fragments }, parent, selections).flatMap((field) =>
      walk(getNamedType(field.type), field.selections, at ? `${at}.${field.key}` : field.key),
    );
  };
  if (!isObjectType(type)) throw new Error(`the body of ${operation} is no object`);
  return walk(type, body.selectionSet?.selections ?? [], "").map((leaf) => `${id} ${leaf}`);
}

function objectsIn(value: unknown, at: string): [string, Record<string, unknown>][] {
  if (typeof value !== "object" || value === null) return [];
  const own = "type" in value && value.type === "object" ? [[at, value] as [string, Record<string, unknown>]] : [];
  return [...own, ...Object.entries(value).flatMap(([key, member]) => objectsIn(member, `${at}.${key}`))];
}
