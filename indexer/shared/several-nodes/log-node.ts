import type { Logger } from "../../../core/observability/logger.ts";
import type { LoggedIds, NodeStatus } from "../progress.ts";
import type { ChainNode } from "./chain-node.ts";

/** A node whose state, reason or head has changed. */
export interface NodeChange {
  readonly node: Pick<ChainNode, "status" | "error">;
  readonly before: NodeStatus;
}

/** Logs that a node of a chain is used, or why it no longer is. Further reasons of an unavailable node are not logged. */
export function logNode(logger: Logger, ids: LoggedIds, { node: { status, error }, before }: NodeChange): void {
  const { name, state, reason } = status;
  if (state === before.state) return;
  const line = {
    ...ids,
    node: name,
    state,
    ...(reason && { reason }),
    ...(error?.detail && { detail: error.detail }),
  };
  if (state === "QUARANTINED") logger.error(line, `${name} is quarantined until the next start: ${reason}`);
  else if (state === "UNAVAILABLE") logger.warn(line, `${name} cannot be used: ${reason}`);
  else logger.info(line, `${name} is used`);
}
