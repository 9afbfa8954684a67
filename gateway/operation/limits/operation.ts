import { checkCost } from "../../../core/graph/cost.ts";
import type { CostOf } from "../../../core/graph/operation-cost.ts";
import { countRejection } from "../../../core/observability/rejections.ts";
import { checkListLengths } from "./list-length.ts";

/** Throws `OPERATION_TOO_COMPLEX` if lists in the variables are too long, or if the answer may be too large. */
export function checkOperation(
  { costOf }: { readonly costOf: CostOf },
  variables: Readonly<Record<string, unknown>>,
): void {
  const tooLong = checkListLengths(variables);
  if (tooLong) throw tooLong;
  const failure = checkCost(costOf(variables), (count) => `this operation asks for up to ${count}`);
  if (!failure) return;
  countRejection("too_complex");
  throw failure;
}
