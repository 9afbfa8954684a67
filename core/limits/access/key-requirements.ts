import {
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { ConfigError } from "../../config/config.ts";
import type { Config } from "../../config/config-schema.ts";
import { didYouMean } from "../../config/settings/errors.ts";
import { Failure, quoted } from "../../errors/errors.ts";
import { countRejection } from "../../observability/rejections.ts";
import type { ApiKey } from "./api-keys.ts";

/** Throws `UNAUTHENTICATED` if a key is missing, and `FORBIDDEN` if it does not have the scope. */
export type CheckKey = (apiKey: ApiKey | null) => void;

export interface KeyRequirements {
  /** True if nothing needs a key. */
  readonly isEmpty: boolean;
  /** What a document needs because of its fields, of all its operations together; null if nothing. */
  ofDocument(document: DocumentNode): CheckKey | null;
  /** What a route needs by its name, and because of the document that it runs; null if nothing. */
  ofRoute(route: string, document: DocumentNode): CheckKey | null;
}

/** A part of the API that needs a key, and the scope that the key must have; null: every key is sufficient. */
interface Requirement {
  readonly part: string;
  readonly scope: string | null;
}

type RequirementsConfig = Pick<Config, "keyRequirements">;

/** Reads the setting `keyRequirements`. Throws `ConfigError` for a field that the schema does not have. */
export function createKeyRequirements({ keyRequirements }: RequirementsConfig, schema: GraphQLSchema): KeyRequirements {
  const byField = requirementsBy(keyRequirements, "fields");
  const byRoute = requirementsBy(keyRequirements, "routes");
  for (const field of byField.keys()) requireField(field, schema);
  const ofFields = (document: DocumentNode): Requirement[] =>
    byField.size === 0 ? [] : fieldsOf(document, schema).flatMap((field) => byField.get(field) ?? []);
  return {
    isEmpty: byField.size === 0 && byRoute.size === 0,
    ofDocument: (document) => checkOf(ofFields(document)),
    ofRoute: (route, document) => checkOf([...(byRoute.get(route) ?? []), ...ofFields(document)]),
  };
}

/** Throws `ConfigError` if the setting names a route that is not in the list. */
export function requireKnownRoutes({ keyRequirements }: RequirementsConfig, routes: readonly string[]): void {
  for (const { routes: named } of keyRequirements)
    for (const route of named)
      if (!routes.includes(route))
        throw new ConfigError(
          `setting keyRequirements[].routes has ${quoted(route)}: must be the number of a REST route or the name of a JSON-RPC method${didYouMean(route, routes)}`,
        );
}

function requirementsBy(settings: Config["keyRequirements"], list: "fields" | "routes"): Map<string, Requirement[]> {
  const found = new Map<string, Requirement[]>();
  for (const setting of settings)
    for (const part of setting[list])
      found.set(part, [...(found.get(part) ?? []), { part, scope: setting.scope ?? null }]);
  return found;
}

function requireField(field: string, schema: GraphQLSchema): void {
  const [typeName = "", name = ""] = field.split(".");
  const type = schema.getType(typeName);
  const fields = isObjectType(type) || isInterfaceType(type) ? Object.keys(type.getFields()) : [];
  if (fields.includes(name)) return;
  const hint = didYouMean(name, fields) || didYouMean(typeName, Object.keys(schema.getTypeMap()));
  throw new ConfigError(`setting keyRequirements[].fields has ${quoted(field)}: the graph has no such field${hint}`);
}

function checkOf(requirements: readonly Requirement[]): CheckKey | null {
  const [first] = requirements;
  if (!first) return null;
  return (apiKey) => {
    if (!apiKey) {
      countRejection("unauthenticated");
      throw new Failure("UNAUTHENTICATED", `${first.part} needs an API key`);
    }
    for (const { part, scope } of requirements) {
      if (scope === null || apiKey.scopes.includes(scope)) continue;
      countRejection("forbidden");
      throw new Failure("FORBIDDEN", `${part} needs an API key with the scope ${scope}`);
    }
  };
}

/** The fields of a document, as `Type.field`, under the names of all types that may have them in the answer. */
function fieldsOf(document: DocumentNode, schema: GraphQLSchema): string[] {
  const fields = new Set<string>();
  const typeInfo = new TypeInfo(schema);
  const addField = ({ name }: { readonly name: { readonly value: string } }): void => {
    for (const type of typesOf(typeInfo.getParentType() ?? null, schema)) fields.add(`${type}.${name.value}`);
  };
  visit(document, visitWithTypeInfo(typeInfo, { Field: addField }));
  return [...fields];
}

/** Names of a type and of its interfaces. For an interface or a union, also those of its possible types and of their interfaces. */
function typesOf(type: GraphQLNamedType | null, schema: GraphQLSchema): string[] {
  if (isAbstractType(type))
    return [type.name, ...schema.getPossibleTypes(type).flatMap((possible) => typesOf(possible, schema))];
  return isObjectType(type) ? [type.name, ...type.getInterfaces().map(({ name }) => name)] : [];
}
