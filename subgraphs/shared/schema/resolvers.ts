import type { buildSubgraphSchema } from "@apollo/subgraph";
import {
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isUnionType,
  valueFromAST,
} from "graphql";
import { getMetadataStorage } from "type-graphql";
import { Failure, quoted } from "../../../core/errors/errors.ts";
import { type FieldResolver, loadsOf } from "./load-all.ts";

/** Finds the entity with a key, or returns null. */
export type ResolveReference = (key: never, context: never) => Promise<unknown>;

type Module = Extract<Parameters<typeof buildSubgraphSchema>[0], { readonly typeDefs: unknown }>;
export type Resolvers = NonNullable<Module["resolvers"]>;

type Metadata = ReturnType<typeof getMetadataStorage>;
type Handler = Metadata["queries"][number] | Metadata["fieldResolvers"][number];
type Parameter = NonNullable<Handler["params"]>[number];
type Method = (...parameters: unknown[]) => unknown;

/**
 * Makes the resolvers of a schema that TypeGraphQL built from resolver classes: fields call the methods of the classes, and unions call their
 * `resolveType`. The resolvers of TypeGraphQL itself look up the classes of arguments in lists and make promises, which takes as long as the
 * rest of a page, and the compiled form of operations does not wait for the types of objects. `derived` are the resolvers of fields that no
 * class has, by type.
 */
export function resolversOf(
  schema: GraphQLSchema,
  classes: readonly (new () => object)[],
  references: Readonly<Record<string, ResolveReference>>,
  derived: Readonly<Record<string, Readonly<Record<string, FieldResolver>>>>,
): Resolvers {
  const resolvers: Record<string, Record<string, unknown>> = { ...derived };
  const add = (type: string, name: string, resolver: unknown): void => {
    resolvers[type] = { ...resolvers[type], [name]: resolver };
  };
  for (const Class of classes)
    for (const { type, field, resolve } of methodsOf(Class)) {
      const subscribe = type === "Subscription" && schema.getSubscriptionType()?.getFields()[field]?.subscribe;
      add(type, field, subscribe ? { subscribe, resolve } : resolve);
    }
  for (const [type, resolve] of Object.entries(references))
    add(type, "__resolveReference", withEnumValues(schema.getType(type), resolve));
  return { ...resolvers, ...valuesOf(schema) } as Resolvers;
}

/** Representations of entities have the names of enum values, as answers do. The resolver gets the values. */
function withEnumValues(type: GraphQLNamedType | undefined, resolve: ResolveReference): ResolveReference {
  const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
  const enums = fields.flatMap(({ name, type: fieldType }) => {
    const named = getNullableType(fieldType);
    return isEnumType(named) ? [{ name, named }] : [];
  });
  if (enums.length === 0) return resolve;
  // A promise, because what is thrown at once would be an error of all entities of the request.
  return async (key: Readonly<Record<string, unknown>>, context) => {
    const read: Record<string, unknown> = { ...key };
    for (const { name, named } of enums) if (name in key) read[name] = valueNamed(named, name, key[name]);
    return resolve(read as never, context);
  };
}

function valueNamed(type: GraphQLEnumType, field: string, name: unknown): unknown {
  if (name === null) return null;
  const value = typeof name === "string" ? type.getValue(name) : undefined;
  if (value) return value.value;
  const names = type.getValues().map((one) => one.name);
  throw new Failure("INVALID_PARAMETER", `${field} must be one of ${names.join(", ")}, got ${quoted(name)}`);
}

/**
 * Gives arguments and members of inputs the values of their defaults. A schema that is built from SDL reads its defaults before it knows the values
 * of enums, so without this a resolver would get the name of a value.
 */
export function readDefaults(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInputObjectType(type)) for (const field of Object.values(type.getFields())) readDefault(field);
    if (isObjectType(type) || isInterfaceType(type))
      for (const { args } of Object.values(type.getFields())) for (const argument of args) readDefault(argument);
  }
}

function readDefault(input: Pick<GraphQLArgument, "astNode" | "type" | "defaultValue">): void {
  const node = input.astNode?.defaultValue;
  if (node) input.defaultValue = valueFromAST(node, input.type);
}

/** The scalars, the values of enums, and the types of the objects of unions. */
function valuesOf(schema: GraphQLSchema): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith("__")) continue;
    if (isScalarType(type)) values[type.name] = type;
    if (isEnumType(type))
      values[type.name] = Object.fromEntries(type.getValues().map(({ name, value }) => [name, value]));
    if (isUnionType(type)) values[type.name] = { __resolveType: typeResolverOf(type.name) };
  }
  return values;
}

function typeResolverOf(name: string): Method {
  const [union, ...others] = getMetadataStorage().unions.filter((one) => one.name === name);
  if (others.length > 0) throw new Error(`several unions of this process are named ${name}`);
  const resolveType = union?.resolveType;
  if (!resolveType) throw new Error(`the union ${name} needs a resolveType`);
  return resolveType as Method;
}

interface MethodOfField {
  readonly type: string;
  readonly field: string;
  readonly resolve: FieldResolver;
}

function methodsOf(Class: new () => object): MethodOfField[] {
  const { queries, mutations, subscriptions, fieldResolvers } = getMetadataStorage();
  const instance = new Class();
  const methods = (handlers: readonly Handler[], typeOf: (handler: Handler) => string): MethodOfField[] =>
    handlers
      .filter(({ target }) => target === Class)
      .map((handler) => ({
        type: typeOf(handler),
        field: handler.schemaName,
        resolve: resolverOf(instance, handler),
      }));
  return [
    ...methods(queries, () => "Query"),
    ...methods(mutations, () => "Mutation"),
    ...methods(subscriptions, () => "Subscription"),
    ...methods(fieldResolvers, objectTypeOf),
  ];
}

function objectTypeOf(handler: Handler): string {
  const Type = "getObjectType" in handler ? handler.getObjectType?.() : undefined;
  const type = getMetadataStorage().objectTypes.find(({ target }) => target === Type);
  if (!type) throw new Error(`${handler.target.name}.${handler.methodName} is not a field of an object type`);
  return type.name;
}

function resolverOf(instance: object, handler: Handler): FieldResolver {
  const method = (instance as Readonly<Record<string, Method>>)[handler.methodName] as Method;
  const parameters = (handler.params ?? []).toSorted((one, other) => one.index - other.index);
  const loads = loadsOf(method);
  // Most fields of rows have no arguments. A list of parameters for each call would take longer than the call.
  if (/^root(,context)?$/.test(parameters.map(({ kind }) => kind).join()))
    return Object.assign((root: unknown, _args: unknown, context: unknown) => method.call(instance, root, context), {
      loads,
    });
  const readers = parameters.map((parameter) => readerOf(handler, parameter));
  return (root, args, context) =>
    method.apply(
      instance,
      readers.map((read) => read(root, args, context)),
    );
}

/** Returns what a parameter of a method gets. */
function readerOf({ target, methodName }: Handler, parameter: Parameter): FieldResolver {
  if (parameter.kind === "root") return (root) => root;
  if (parameter.kind === "context") return (_root, _args, context) => context;
  if (parameter.kind === "arg") return (_root, args) => args[parameter.name];
  if (parameter.kind !== "args") throw new Error(`${target.name}.${methodName} has a parameter for ${parameter.kind}`);
  const Type = parameter.getType() as new () => object;
  return (_root, args) => Object.assign(new Type(), args);
}

/**
 * Makes `_entities` return null and a separate error for each representation of an unknown type. By default, the whole list
 * fails. Call this function once, before the schema is used.
 */
export function refuseUnknownEntities(schema: GraphQLSchema): void {
  const field = schema.getQueryType()?.getFields()["_entities"];
  const resolve = field?.resolve;
  if (!resolve) return;
  const isEntity = createIsEntity(schema);
  field.resolve = (source, args, context, info) => {
    const representations: readonly unknown[] = args["representations"];
    const known = representations.filter(isEntity);
    const found = resolve(source, { representations: known }, context, info);
    if (known.length === representations.length) return found;
    const entities = found as readonly unknown[];
    let next = 0;
    return representations.map((item) => (isEntity(item) ? entities[next++] : unknownEntity(item)));
  };
}

function createIsEntity(schema: GraphQLSchema): (representation: unknown) => boolean {
  const union = schema.getType("_Entity");
  const names = new Set(isUnionType(union) ? union.getTypes().map(({ name }) => name) : []);
  return (representation) => {
    const name = typenameOf(representation);
    return typeof name === "string" && (names.has(name) || isInterfaceType(schema.getType(name)));
  };
}

function typenameOf(representation: unknown): unknown {
  return typeof representation === "object" && representation !== null && "__typename" in representation
    ? representation.__typename
    : undefined;
}

function unknownEntity(representation: unknown): Failure {
  const name = typenameOf(representation);
  return new Failure("INVALID_PARAMETER", `__typename must be an entity of this subgraph, got ${quoted(name ?? null)}`);
}
