import { registerEnumType } from "type-graphql";

export const IndexingState = {
  BACKFILLING: "BACKFILLING",
  FOLLOWING: "FOLLOWING",
  WAITING: "WAITING",
  STOPPED: "STOPPED",
} as const;
export type IndexingState = keyof typeof IndexingState;

registerEnumType(IndexingState, {
  name: "IndexingState",
  description: "What the indexer does with a chain.",
  valuesConfig: {
    BACKFILLING: { description: "It catches up with the node." },
    FOLLOWING: { description: "It follows the node's head." },
    WAITING: { description: "It waits for the node and tries again by itself." },
    STOPPED: { description: "It found the node to be wrong, and goes on when the node is right again." },
  },
});
