import type { GraphQLSchema } from "graphql";
import type { CompileText } from "../../core/graph/answer-text.ts";
import type { RequestInfo } from "../../core/graph/graph-client.ts";

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
}

export type Subgraph = LocalSubgraph | RemoteSubgraph;

export function isLocal(subgraph: Subgraph): subgraph is LocalSubgraph {
  return "schema" in subgraph;
}
