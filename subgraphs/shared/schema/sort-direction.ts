import { registerEnumType } from "type-graphql";

export const SortDirection = { ASC: "ASC", DESC: "DESC" } as const;
export type SortDirection = keyof typeof SortDirection;

registerEnumType(SortDirection, {
  name: "SortDirection",
  description: "Direction of an order.",
  valuesConfig: {
    ASC: { description: "Smallest values first." },
    DESC: { description: "Greatest values first." },
  },
});
