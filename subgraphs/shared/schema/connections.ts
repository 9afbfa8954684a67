import { type GraphQLSchema, getNamedType, isObjectType } from "graphql";
import type { Page } from "../../../core/graph/connection-page.ts";
import type { FieldResolver, LoadAll } from "./load-all.ts";

const countAll: LoadAll<Page<unknown>> = async (pages) => {
  await Promise.all(pages.map((page) => page.totalCount()));
};

/** Pages are counted before an answer is written. */
const totalCount: FieldResolver = Object.assign((page: unknown) => (page as Page<unknown>).totalCount(), {
  loads: [countAll as LoadAll],
});

/** The resolvers of the counts of all connections of a schema, by type. All their other fields are members of pages. */
export function countResolversOf(schema: GraphQLSchema): Record<string, { totalCount: FieldResolver }> {
  const resolvers: Record<string, { totalCount: FieldResolver }> = {};
  for (const type of Object.values(schema.getTypeMap())) {
    const field = isObjectType(type) ? type.getFields()["totalCount"] : undefined;
    if (field && getNamedType(field.type).name === "TotalCount") resolvers[type.name] = { totalCount };
  }
  return resolvers;
}
