import type { ExecutionResult, GraphQLSchema } from "graphql";

/** What a request brings along from its edge to the resolvers. */
export interface RequestInfo {
  readonly requestId: string;
}

/** One operation, ready to run. Never throws for what a caller did: errors are in the result, as GraphQL has them. */
export type Operation = (
  variables: Readonly<Record<string, unknown>>,
  request: RequestInfo,
) => Promise<ExecutionResult>;

/** The graph as its clients inside Moraine see it, in this process or over HTTP. */
export interface GraphClient {
  /** The schema that callers see; custom scalars in it are names only. */
  readonly schema: GraphQLSchema;
  /** Plans and compiles a document with one operation, once; throws when the graph does not have what it asks for. */
  prepare(document: string): Operation;
}
