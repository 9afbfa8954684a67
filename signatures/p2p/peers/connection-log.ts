import type { Logger } from "../../../core/observability/logger.ts";
import type { ClientVersion } from "../wire/handshake.ts";
import type { WantedNode } from "./wanted-nodes.ts";

/** Logs connections to nodes that were opened and lost. */
export interface ConnectionLog {
  ready(node: WantedNode, client: ClientVersion | null, host: string): void;
  /** Call it before `node.reason` becomes the new reason. */
  closed(node: WantedNode, closed: ClosedConnection): void;
}

export interface ClosedConnection {
  readonly host: string;
  readonly reason: string;
  readonly wasReady: boolean;
  /** Time until the next attempt. */
  readonly pauseMs: number;
}

export function createConnectionLog(logger: Logger): ConnectionLog {
  return {
    ready({ nodeId, failures }, client, host) {
      // The first of several failures is logged with the level info, so a connection that follows failures is too.
      const level = failures > 0 ? "info" : "debug";
      logger[level]({ nodeId, host, client }, `connected to ${nodeId} at ${host}`);
    },
    /** Logs lost connections, first failures and new reasons with the level info, and repeated failures with debug. */
    closed({ nodeId, failures, reason: lastReason }, { host, reason, wasReady, pauseMs }) {
      const level = wasReady || lastReason !== reason ? "info" : "debug";
      const what = wasReady ? "lost the connection to" : "could not connect to";
      const seconds = Math.round(pauseMs / 1_000);
      logger[level](
        { nodeId, host, failures },
        `${what} ${nodeId} at ${host}: ${reason}; the next attempt follows in ${seconds} s`,
      );
    },
  };
}
