import { registerEnumType } from "type-graphql";

export const SortOrder = { asc: "asc", desc: "desc" } as const;
export type SortOrder = keyof typeof SortOrder;

registerEnumType(SortOrder, {
  name: "SortOrder",
  description: "Direction of a list.",
  valuesConfig: { asc: { description: "Oldest first." }, desc: { description: "Newest first." } },
});
