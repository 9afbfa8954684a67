import type { ProposerBlock } from "../../../../core/formats/codec/blocks/proposer-blocks.ts";
import type { RowOf } from "./tables.ts";

/** The columns of `primary_blocks` that say who proposed a block. */
export type ProposerColumns = Pick<
  RowOf<"primary_blocks">,
  | "proposer_id"
  | "proposer_parent_id"
  | "proposer_node_id"
  | "proposer_pchain_height"
  | "proposer_timestamp"
  | "node_id"
>;

/** The proposer's columns of a block. Commit and abort blocks are not signed and count as proposed by their parent's proposer. */
export function proposerColumns(block: ProposerBlock | null, parentNodeId: string | null): ProposerColumns {
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
