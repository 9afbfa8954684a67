import { MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import { graphEnum } from "../../shared/schema/graph-enum.ts";

export const SortOrder = graphEnum({
  name: "SortOrder",
  description: "Sort direction of a list.",
  values: { asc: "Oldest first.", desc: "Newest first." },
});
export type SortOrder = (typeof SortOrder)[string];

/** SQL of a keyset page in each direction: the order, and the comparison with the previous position. */
export const DIRECTIONS = {
  desc: { order: "DESC", follows: "<" },
  asc: { order: "ASC", follows: ">" },
} as const satisfies Record<SortOrder, object>;

/** Position before the first row, for lists ordered by two BIGINT columns. */
export const FIRST_POSITION = {
  desc: [MAX_BIGINT, MAX_BIGINT],
  asc: ["-1", "-1"],
} as const satisfies Record<SortOrder, readonly string[]>;
