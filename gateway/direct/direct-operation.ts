import { type DocumentNode, getOperationAST, OperationTypeNode, print } from "graphql";
import { type ClassOf, compileClass } from "../../core/admission/cost-class.ts";
import { GRAPHQL_FORM } from "../../core/answer-text/answer-form.ts";
import { checkCost } from "../../core/cost.ts";
import type { CostOf } from "../../core/operation-cost.ts";
import { needsNormalising } from "../normalise.ts";
import type { PassThrough } from "../pass-through.ts";
import { unitsOf } from "../pipeline/access/operation-rules.ts";
import { checkListLengths } from "../pipeline/limits/list-length.ts";
import type { DirectText } from "../plan/direct-query.ts";

type Variables = Readonly<Record<string, unknown>>;

/** A query whose answer is written as text. */
export interface DirectAnswer {
  readonly run: DirectText;
  readonly classOf: ClassOf;
  /** Compute units that the operation costs with these variables. */
  units(variables: Variables): number;
  /** False if the runtime has to refuse the operation with these variables. */
  isWithinLimits(variables: Variables): boolean;
}

/** Compiles an operation of a valid document. Null if the runtime has to answer it. */
export function compileDirectAnswer(
  passThrough: PassThrough,
  document: DocumentNode,
  operationName: string | null,
  costOf: CostOf,
): DirectAnswer | null {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== OperationTypeNode.QUERY || needsNormalising(document, passThrough.keyFields))
    return null;
  const options = { form: GRAPHQL_FORM, scope: "answer" } as const;
  const run = passThrough.find(print(document), operationName)?.compileText(options);
  if (!run) return null;
  return {
    run,
    classOf: compileClass(document, costOf),
    units: (variables) => unitsOf(costOf(variables)),
    isWithinLimits: (variables) => isWithinLimits(costOf, variables),
  };
}

/** False if the runtime has to refuse an operation with this cost and these variables. */
export function isWithinLimits(costOf: CostOf, variables: Variables): boolean {
  return !checkListLengths(variables) && !checkCost(costOf(variables), () => "");
}
