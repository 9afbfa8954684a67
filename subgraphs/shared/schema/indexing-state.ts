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
  description: "State of a chain's indexer.",
  valuesConfig: {
    BACKFILLING: {
      description: "The indexer is behind the node and catches up, or it rebuilds the rows from stored blocks.",
    },
    FOLLOWING: { description: "The indexer follows the node's latest block." },
    WAITING: {
      description:
        "The node cannot be used at present; the indexer retries by itself. Or `moraine replay` of an EVM chain was interrupted: run it again, or start the indexer.",
    },
    STOPPED: {
      description:
        "The node returned invalid data, or a file that the settings name cannot be used. The indexer retries by itself.",
    },
  },
});
