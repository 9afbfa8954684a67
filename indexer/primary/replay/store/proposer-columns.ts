import type { ProposerBlock } from "../../../../core/codec/blocks/proposer-blocks.ts";
import type { RowOf } from "./columns.ts";

/** The columns of a block's proposer. */
export type Proposer = Pick<
  RowOf<"primary_blocks">,
  | "proposer_id"
  | "proposer_parent_id"
  | "proposer_node_id"
  | "proposer_pchain_height"
  | "proposer_timestamp"
  | "node_id"
>;

/** Who proposed a block. A commit or abort, which nobody signs, counts as its parent's proposer's. */
export function proposerColumns(block: ProposerBlock | null, parentNodeId: string | null): Proposer {
  const proposal = block?.proposal ?? null;
  const nodeId = proposal?.nodeId ?? null;
  return {
    proposer_id: block?.id ?? null,
    proposer_parent_id: block?.parentId ?? null,
    proposer_node_id: nodeId,
    proposer_pchain_height: proposal?.pChainHeight ?? null,
    proposer_timestamp: proposal?.timestamp ?? null,
    node_id: block && !proposal ? parentNodeId : nodeId,
  };
}
