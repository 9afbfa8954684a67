import type { PlanNode, QueryPlanner } from "@graphql-hive/router-query-planner";
import { type DocumentNode, print } from "graphql";

/** The plan of an operation without `@skip` and `@include`; null if nothing has to be fetched. Throws if the planner does not accept it. */
export function planOf(planner: QueryPlanner, document: DocumentNode, operationName: string | null): PlanNode | null {
  return planner.plan(print(document), operationName, new Set(), 0).node ?? null;
}
