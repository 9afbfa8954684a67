import { defaultTypeResolver, type GraphQLAbstractType, type GraphQLResolveInfo, type GraphQLSchema } from "graphql";
import { Unwritable } from "./unwritable.ts";

/** The name of the type of an object of an interface or a union. */
export type ReadTypeName = (object: unknown, context: unknown) => string;

/** Resolvers of types do not get it from the compiled form. */
const NO_INFO = undefined as unknown as GraphQLResolveInfo;

/** Refuses an object whose type is not known at once, or is not one of the possible types. */
export function typeNames(schema: GraphQLSchema, type: GraphQLAbstractType): ReadTypeName {
  const names: ReadonlySet<unknown> = new Set(schema.getPossibleTypes(type).map(({ name }) => name));
  const resolveType = type.resolveType ?? defaultTypeResolver;
  return (object, context) => {
    const name = resolveType(object, context, NO_INFO, type);
    if (typeof name !== "string" || !names.has(name))
      throw new Unwritable(`an object has no known type of ${type.name}`);
    return name;
  };
}
