import { type Order, reversed } from "../../shared/rows/keyset.ts";
import { graphEnum } from "../../shared/schema/graph-enum.ts";

export const SortOrder = graphEnum({
  name: "SortOrder",
  description: "Sort direction of a list.",
  values: { asc: "Oldest first.", desc: "Newest first." },
});
export type SortOrder = (typeof SortOrder)[string];

/** The order of a list, newest first, in the direction that a caller wants. */
export const sorted = (newestFirst: Order, direction: SortOrder): Order =>
  direction === "desc" ? newestFirst : reversed(newestFirst);
