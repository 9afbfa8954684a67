import { type GraphQLSchema, isInterfaceType, isUnionType } from "graphql";
import { Failure, quoted } from "../../../core/errors/errors.ts";

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
