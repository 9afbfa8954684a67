import type { GraphQLSchema } from "graphql";
import type { CompileText } from "../core/answer-text/answer-text.ts";
import type { RequestInfo } from "../core/graph-client.ts";

/** A subgraph that runs in this process. */
export interface LocalSubgraph {
  readonly name: string;
  readonly schema: GraphQLSchema;
  /** Creates the context of one request, which all of its resolvers get. */
  context(request: RequestInfo): unknown;
  /** Compiles operations to text. Absent if the general executor answers all of them. */
  readonly compileText?: CompileText;
}

/** A subgraph in another process: HTTP POST for queries and mutations, graphql-ws for subscriptions, at the same URL. */
export interface RemoteSubgraph {
  readonly name: string;
  readonly url: string;
}

export type Subgraph = LocalSubgraph | RemoteSubgraph;

export function isLocal(subgraph: Subgraph): subgraph is LocalSubgraph {
  return "schema" in subgraph;
}
