import { counterOf, histogramOf } from "../../../core/observability/registry.ts";
import { RpcError } from "./errors.ts";
import type { RequestFailed } from "./request-failed.ts";
import type { Answer } from "./rpc-answers.ts";

/** Which chain a node is read for, and its name. Neither may contain the node's URL. */
export interface NodeLabels {
  readonly chain: string;
  readonly node: string;
}

/** Counts the HTTP requests to one node, and measures how long they take. */
export interface RequestMetrics {
  answered(answers: readonly Answer[], ms: number): void;
  failed(failure: RequestFailed, ms: number): void;
}

const NONE: RequestMetrics = { answered: () => {}, failed: () => {} };

/** Without labels, nothing is counted. */
export function createRequestMetrics(labels: NodeLabels | null): RequestMetrics {
  if (!labels) return NONE;
  const { chain, node } = labels;
  const cellOf = (outcome: string) => counterOf("nodeRequests", { chain, node, outcome });
  const [ok, error, refused, failed] = [cellOf("ok"), cellOf("error"), cellOf("refused"), cellOf("failed")];
  const duration = histogramOf("nodeRequestDuration", { chain, node });
  const count = (cell: typeof ok, ms: number) => {
    cell.add();
    duration.observe(ms / 1_000);
  };
  return {
    answered: (answers, ms) => count(answers.some((answer) => answer instanceof RpcError) ? error : ok, ms),
    failed: ({ batchLimit }, ms) => count(batchLimit === null ? failed : refused, ms),
  };
}
