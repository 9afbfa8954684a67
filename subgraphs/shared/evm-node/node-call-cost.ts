import { formatCount, MAX_COST, NODE_CALL_VALUES } from "../../../core/graph/cost.ts";

/** Sentence for the descriptions of fields whose values need a call to a chain's node. */
export const NODE_CALL_COST = `Each value needs one call to the node, and counts as ${formatCount(NODE_CALL_VALUES)} of the ${formatCount(MAX_COST.values)} field values that the answer to a GraphQL request may have.`;
