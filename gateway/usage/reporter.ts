import type { DocumentNode, GraphQLSchema } from "graphql";

/** An operation, alone in its document. */
export interface ReportedOperation {
  /** Null for an operation without a name. */
  readonly name: string | null;
  readonly isSubscription: boolean;
  readonly document: DocumentNode;
  readonly schema: GraphQLSchema;
}

/** The name and version that a client gives itself; empty if it does not. */
export interface ClientSoftware {
  readonly name: string;
  readonly version: string;
}

/** An operation that has been answered, or a subscription that has started. */
export interface AnsweredOperation {
  readonly operation: ReportedOperation;
  readonly client: ClientSoftware;
  readonly durationNs: number;
  /** Number of errors of the answer. */
  readonly errors: number;
}

/** Collects operations and sends them to a registry now and then. Disposing it sends the last ones, and waits for at most `LAST_REPORT_MS`. */
export interface UsageReporter extends AsyncDisposable {
  report(answered: AnsweredOperation): void;
}

export const LAST_REPORT_MS = 3_000;
