import { type CostOf, compileCost } from "../../core/operation-cost.ts";
import { type OperationArgs, perOperation } from "./per-operation.ts";

/** The cost of an operation, see `compileCost`. All steps share it, so that it is compiled once for each document. */
export type OperationCosts = (args: OperationArgs) => CostOf;

export function createOperationCosts(): OperationCosts {
  return perOperation((document, operationName, schema) => compileCost(schema, document, operationName));
}
