import type { Transport } from "@graphql-mesh/transport-common";
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLError,
  print,
  subscribe,
  ValuesOfCorrectTypeRule,
  validate,
} from "graphql";
import { CALLER_HEADER } from "../core/access/api-keys.ts";
import { sourceInTurns } from "../core/admission/event-turns.ts";
import { mapEvents } from "../core/event-stream.ts";
import type { RequestInfo } from "../core/graph-client.ts";
import { REQUEST_ID_HEADER } from "../core/observability/request-id.ts";
import { inSpan } from "../core/observability/tracing.ts";
import { prepareRemote, resultOf, type SendOperation } from "./remote-subgraph.ts";
import { createRemoteSubscriptions } from "./remote-subscriptions.ts";
import { isLocal, type LocalSubgraph, type RemoteSubgraph, type Subgraph } from "./subgraph.ts";

/** A fetch of a query plan, as Hive's executor sends it to a subgraph. */
interface SubgraphRequest {
  readonly document: DocumentNode;
  readonly variables?: Record<string, unknown>;
  readonly operationType?: string;
  readonly context?: Partial<RequestInfo>;
}

type SubgraphExecutor = (request: SubgraphRequest) => Promise<ExecutionResult | AsyncIterable<ExecutionResult>>;

/** Connects Hive's executor to the subgraphs: by a call in this process, or by HTTP and graphql-ws. */
export function createTransport(subgraphs: readonly Subgraph[]): Transport {
  const executors = new Map(
    subgraphs.map((subgraph) => [
      subgraph.name,
      isLocal(subgraph) ? localExecutor(subgraph) : remoteExecutor(subgraph),
    ]),
  );
  return {
    getSubgraphExecutor({ subgraphName }) {
      const executor = executors.get(subgraphName.toLowerCase());
      if (!executor) throw new Error(`the supergraph contains subgraph ${subgraphName}, which is not configured`);
      const name = `subgraph ${subgraphName.toLowerCase()}`;
      const traced: SubgraphExecutor = (request) => inSpan("subgraph", name, () => executor(request));
      return traced as ReturnType<Transport["getSubgraphExecutor"]>;
    },
  };
}

const infoOf = ({ context }: SubgraphRequest): RequestInfo => ({
  requestId: context?.requestId ?? "",
  caller: context?.caller,
  callerLeft: context?.callerLeft,
});

function localExecutor({ schema, context }: LocalSubgraph): SubgraphExecutor {
  const known = new WeakMap<DocumentNode, readonly GraphQLError[]>();
  // The gateway knows custom scalars by name only, so it cannot check their literals.
  const errorsOf = (document: DocumentNode) => {
    const errors = known.get(document) ?? validate(schema, document, [ValuesOfCorrectTypeRule]);
    known.set(document, errors);
    return errors;
  };
  return async (request) => {
    const errors = errorsOf(request.document);
    if (errors.length > 0) return { errors };
    const args = {
      schema,
      document: request.document,
      contextValue: context(infoOf(request)),
      ...(request.variables ? { variableValues: request.variables } : {}),
    };
    return request.operationType === "subscription" ? subscribe(args) : execute(args);
  };
}

/** Hive's executor repeats the data of the previous event if an event has none. An empty object has no effect on an answer. */
function withOwnData(event: ExecutionResult): ExecutionResult {
  return { ...event, data: event.data ?? {} };
}

function remoteExecutor(subgraph: RemoteSubgraph): SubgraphExecutor {
  const subscribeRemotely = createRemoteSubscriptions(subgraph.url, subgraph.connectionTimes);
  // Plans are kept, and so are their documents.
  const known = new WeakMap<DocumentNode, SendOperation>();
  const senderOf = (document: DocumentNode): SendOperation => {
    const send = known.get(document) ?? prepareRemote(subgraph, print(document));
    known.set(document, send);
    return send;
  };
  return async (request) => {
    const { document, variables = {} } = request;
    const info = infoOf(request);
    if (request.operationType !== "subscription") return resultOf(await senderOf(document)(variables, info));
    // All callers share the connection, so each subscription has what are headers of other requests. JSON omits an undefined caller.
    const extensions = { [REQUEST_ID_HEADER]: info.requestId, [CALLER_HEADER]: info.caller };
    const events = subscribeRemotely({ query: print(document), variables, extensions });
    return sourceInTurns(mapEvents(events, withOwnData));
  };
}
