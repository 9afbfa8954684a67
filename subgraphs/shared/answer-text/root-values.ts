import {
  type GraphQLFieldConfig,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  isNonNullType,
} from "graphql";
import type { TextRun } from "./text-run.ts";

/** What a resolver returned, unchanged. */
const ANY = new GraphQLScalarType({ name: "MoraineAny", serialize: (value) => value });

type Field = GraphQLFieldConfig<TextRun, unknown>;

/**
 * A schema with the root fields of `schema` as leaves: its executor checks variables and arguments, calls the resolvers, and returns what
 * they return. Its root value is a `TextRun`, which gets the variables.
 */
export function rootValueSchema(schema: GraphQLSchema): GraphQLSchema {
  const query = schema.getQueryType();
  const fields = Object.entries(query?.toConfig().fields ?? {}).map(([name, field]) => [name, leafOf(field as Field)]);
  return new GraphQLSchema({
    query: new GraphQLObjectType({ name: query?.name ?? "Query", fields: Object.fromEntries(fields) }),
    assumeValid: true,
  });
}

function leafOf({ type, args = {}, resolve }: Field): Field {
  return {
    type: isNonNullType(type) ? new GraphQLNonNull(ANY) : ANY,
    args,
    resolve(run, given, context, info) {
      run.variables = info.variableValues;
      return resolve?.(undefined as never, given, context, info);
    },
  };
}
