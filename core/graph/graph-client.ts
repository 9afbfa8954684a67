import type { ExecutionResult, GraphQLSchema } from "graphql";
import type { Work } from "../work/work.ts";
import type { AnswerForm, RunText } from "./answer-text.ts";

/** Data of the incoming request that is passed to resolvers. */
export interface RequestInfo {
  readonly requestId: string;
  /** Name of the caller's API key, which is a hash of it; absent for a caller without a key. */
  readonly caller?: string | undefined;
  /** The API key itself, for a gateway in another process, which identifies the caller again. Never logged. */
  readonly apiKey?: string | undefined;
  /** Returns a header of the caller's request, by its name in lower case, for a subgraph to which it is forwarded. Absent for REST. */
  readonly headerOf?: ((name: string) => string | undefined) | undefined;
  /** Statements and calls are made for this work. It is cancelled when the caller closes the connection or cancels the operation. */
  readonly work: Work;
}

/** Runs one prepared operation. It never rejects because of the caller's input: GraphQL errors are in the result. */
export type Operation = (
  variables: Readonly<Record<string, unknown>>,
  request: RequestInfo,
) => Promise<ExecutionResult>;

/** The federated graph, in this process or over HTTP, for the parts of Moraine that read from it. */
export interface GraphClient {
  /** The schema that callers see. Its custom scalars have no code: they accept every value. */
  readonly schema: GraphQLSchema;
  /** Validates and plans a document with one operation. Throws if the document does not fit the schema. */
  prepare(document: string): Operation;
  /**
   * The same for an operation with one root field: its value is returned as text in this form, if there are no errors, the value is not
   * null, and the graph can write it. Otherwise the result is returned. Absent if the graph is in another process.
   */
  prepareText?(document: string, form: AnswerForm): RunText<RequestInfo>;
}
