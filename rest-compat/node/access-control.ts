import type { IncomingMessage } from "node:http";
import type { Config } from "../../core/config-schema.ts";
import { FAILURES, type FailureCode } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import { ownNetwork } from "../../core/own-network.ts";
import { type AccessConfig, type Caller, createAccess } from "../access/callers.ts";
import type { ChargeCaller } from "../access/rate-limit.ts";
import { failureOfThrown, told } from "../graph/failures.ts";
import { emptyReply, type NodeReply, rpcReply } from "./http/reply.ts";
import { refusalBody } from "./rpc/reply.ts";
import type { RpcRequest } from "./rpc/request.ts";

/** One request on its way. */
export interface Opened {
  readonly request: IncomingMessage;
  readonly requestId: string;
  /** Still encoded. */
  readonly query: string;
  /** Names and values in turn, of the caller's limit. */
  readonly limitHeaders: string[];
}

/** Answers at one path; never rejects. */
export type NodeAnswer = (opened: Opened) => Promise<NodeReply>;

/** Who may ask how much, and how refusals of our own read. */
export interface Desk {
  readonly bodyLimitBytes: number;
  readonly charge: ChargeCaller;
  /** Whether what is of the node alone is told to nobody. */
  readonly isPublic: boolean;
  /** Who asks. Throws for a key that is unknown, or not for the network of the node. */
  admit(request: IncomingMessage): Caller;
  /** An error object with the fitting status, for the request as far as it could be read. */
  refuse(error: unknown, rpc: RpcRequest | null, opened: Opened): NodeReply;
}

export type DeskConfig = AccessConfig & Pick<Config, "bodyLimitBytes" | "nodeInterface" | "primaryNetworks">;

/** A node's own refusals are answers like others. And clients take 403 for a reason to try again. */
const STATUSES: Readonly<Partial<Record<FailureCode, number>>> = { NODE_REFUSED: 200, FORBIDDEN: 401 };

export function createDesk(config: DeskConfig, charge: ChargeCaller, logger: Logger): Desk {
  const access = createAccess(config);
  const network = ownNetwork(config);
  return {
    bodyLimitBytes: config.bodyLimitBytes,
    charge,
    isPublic: config.nodeInterface.public,
    admit(request) {
      const caller = access.byKey(request);
      access.permit(caller, { network });
      return caller;
    },
    refuse(error, rpc, { request, requestId }) {
      const failure = failureOfThrown(error);
      const status = STATUSES[failure.code] ?? FAILURES[failure.code].http;
      const line = { requestId, method: request.method, url: request.url, err: failure.originalError ?? failure };
      // A caller who is gone is no failure.
      if (request.errored) return emptyReply(status);
      if (failure.code === "INTERNAL") logger.error(line, "a request failed unexpectedly");
      // Of a node that fails its client tells once.
      else if (status >= 500 && failure.code !== "UPSTREAM_FAILED")
        logger.warn(line, "a request could not be answered");
      const object = { code: FAILURES[failure.code].rpc, message: told(failure, requestId).message };
      return rpcReply(status, refusalBody(rpc, object), true);
    },
  };
}
