import { graphEnum } from "./graph-enum.ts";

export const SortOrder = graphEnum({
  name: "SortOrder",
  description: "Sort direction of a list.",
  values: { asc: "Oldest or smallest first.", desc: "Newest or greatest first." },
});
export type SortOrder = (typeof SortOrder)[string];
