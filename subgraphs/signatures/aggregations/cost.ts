import { AGGREGATION_VALUES, formatCount, MAX_COST } from "../../../core/graph/cost.ts";

/** Sentence for the descriptions of fields that aggregate signatures. */
export const AGGREGATION_COST = `Each call counts as ${formatCount(AGGREGATION_VALUES)} of the ${formatCount(MAX_COST.values)} field values that the answer to a GraphQL request may have.`;
