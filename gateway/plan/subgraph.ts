import type { GraphQLSchema } from "graphql";
import type { CompileText } from "../../core/graph/answer-text.ts";
import type { RequestInfo } from "../../core/graph/graph-client.ts";
import type { OutageLog } from "../../core/observability/outage-log.ts";

/** A subgraph that runs in this process. */
export interface LocalSubgraph {
  readonly name: string;
  readonly schema: GraphQLSchema;
  /** Creates the context of one request, which all of its resolvers get. */
  context(request: RequestInfo): unknown;
  /** Compiles operations to text. Absent if the general executor answers all of them. */
  readonly compileText?: CompileText;
}

/** When the connection for the subscriptions of a subgraph counts as lost. */
export interface ConnectionTimes {
  /** Longest wait, in milliseconds, for each of: the handshake, the `connection_ack` and a pong. Shorter than `pingIntervalMs`. */
  readonly answerMs: number;
  readonly pingIntervalMs: number;
}

/** A subgraph in another process: HTTP POST for queries and mutations, graphql-ws for subscriptions, at the same URL. */
export interface RemoteSubgraph {
  readonly name: string;
  readonly url: string;
  /** Default: 10 seconds for an answer, and 12 between pings. */
  readonly connectionTimes?: ConnectionTimes;
  /** True for a subgraph of another team, which is not told who the caller is. */
  readonly isExternal?: boolean;
  /** Headers of callers that are sent to it, in lower case. Default: none. */
  readonly headersToForward?: readonly string[] | undefined;
  /** Longest wait, in milliseconds, for the beginning of an answer, and pause in it. Default: 30 seconds. */
  readonly timeoutMs?: number | undefined;
  /** How often a query is sent again if the connection fails or the subgraph answers with a status from 500 to 599. Default: never. */
  readonly retries?: number | undefined;
  /** Logs that it does not answer. Default: nothing is logged. */
  readonly outages?: OutageLog;
}

export type Subgraph = LocalSubgraph | RemoteSubgraph;

export function isLocal(subgraph: Subgraph): subgraph is LocalSubgraph {
  return "schema" in subgraph;
}
