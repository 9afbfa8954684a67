import { type ExecutionResult, GraphQLError } from "graphql";
import type { SubscribePayload } from "graphql-ws";
import type { Caller, Callers } from "../core/access/callers.ts";
import type { ChargeCaller } from "../core/access/rate-limit.ts";
import type { Config } from "../core/config-schema.ts";
import { codeOf, Failure, REQUEST_ERROR_CODES } from "../core/errors.ts";
import type { GraphQLWebSocketConnection } from "../core/graphql-ws-connection.ts";
import {
  createGraphQLWebSocketServer,
  type GraphQLWebSocketServer,
  type WebSocketOutcome,
} from "../core/graphql-ws-server.ts";
import type { Logger } from "../core/logger.ts";
import { REQUEST_ID_HEADER } from "../core/observability/request-id.ts";
import type { DirectSubscriptions, StartSubscription } from "./direct/direct-subscriptions.ts";
import { plainOperation } from "./direct/request-body.ts";
import type { OpenConnections } from "./open-connections.ts";
import { createOperationCharge, type OperationCharge, settled } from "./pipeline/access/operation-charge.ts";
import { refusalFor } from "./pipeline/refusals.ts";
import { asGraphQLError, publicError } from "./public-error.ts";
import type { IsFromOtherOrigin } from "./request-origin.ts";
import { GRAPHQL_PATH, type Runtime } from "./runtime.ts";

/** More than all operations of a usual client. With `connectionsPerCaller`, it bounds the memory that one caller needs. */
const OPERATION_BYTES = 1 << 20;
/** Of one caller. An operation that has no outcome yet takes about 10 kB. */
const STARTING_OPERATIONS = 200;
/** Of one caller. Enough for 24,000 messages of usual subscriptions that a client sends at once when it connects again. */
const WAITING_BYTES = 1 << 24;

type OperationRuntime = Pick<Runtime, "getResultForParams" | "getSchema">;

export interface WebSocketDeps {
  readonly runtime: OperationRuntime;
  readonly callers: Callers;
  readonly charge: ChargeCaller;
  readonly connections: OpenConnections;
  readonly isFromOtherOrigin: IsFromOtherOrigin;
  readonly settings: Config["subscriptions"];
  readonly logger: Logger;
  /** Null if the runtime runs all subscriptions. */
  readonly direct: DirectSubscriptions | null;
}

/** Serves operations of every kind over WebSocket, with the pipeline of operations over HTTP. */
export function createWebSockets({
  runtime,
  callers,
  charge,
  connections,
  isFromOtherOrigin,
  settings,
  logger,
  direct,
}: WebSocketDeps): GraphQLWebSocketServer {
  const { operationsPerSocket, idleSeconds, unreadBytes } = settings;
  return createGraphQLWebSocketServer({
    logger,
    limits: {
      operations: operationsPerSocket,
      operationBytes: OPERATION_BYTES,
      starting: STARTING_OPERATIONS,
      waitingBytes: WAITING_BYTES,
      idleMs: idleSeconds * 1_000,
      unreadBytes,
    },
    // The operations of a connection with an unknown key are refused one by one.
    admit(connection) {
      const caller = callers.shareOfConnection(membersOf(connection), connection.request);
      const release = connections.open(caller);
      return release && { caller, release };
    },
    async run(payload, operation) {
      const { request, requestId } = operation;
      const publicErrors = (errors: readonly GraphQLError[]) =>
        errors.map((error) => publicRequestError(error, requestId, logger));
      try {
        const client = clientOf(operation, callers);
        const payment = createOperationCharge(client, charge);
        const start = direct && findDirect(direct, payload);
        if (start) {
          const subscriber = { client, request, requestId, isStream: false, payment };
          return await settled(payment, () => start(subscriber)).catch(refusalFor);
        }
        const share = () => callers.shareOf(client, request);
        const sender = { requestId, client, charge: payment, share, isFromOtherOrigin: isFromOtherOrigin(request) };
        const outcome = await settled(payment, () => runOperation(runtime, payload, sender));
        return isRequestError(outcome) ? publicErrors(outcome.errors) : outcome;
      } catch (error) {
        return publicErrors([toGraphQLError(error)]);
      }
    },
    refused(failure, connection) {
      try {
        const payment = createOperationCharge(clientOf(connection, callers), charge);
        payment.refused(failure);
        // No refused message waits in memory for the usage of other processes.
        payment.settle()?.catch(() => {});
        return failure;
      } catch (error) {
        if (error instanceof Failure) return error;
        throw error;
      }
    },
  });
}

/**
 * Identifies the caller by the API key in the payload of `connection_init` (a member with the name of a key header, in any letter case),
 * else by the key in the headers of the handshake, else by the address. Browsers can send a key only in the payload. Called for each
 * operation, because the key may have been revoked meanwhile.
 */
function clientOf(connection: GraphQLWebSocketConnection, callers: Callers): Caller {
  return callers.byInitPayload(membersOf(connection), connection.request);
}

function membersOf({ initPayload }: GraphQLWebSocketConnection): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(initPayload).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Null if the runtime has to run the operation, for example because it is a persisted one. Other extensions are not used. */
function findDirect(direct: DirectSubscriptions, payload: SubscribePayload): StartSubscription | null {
  const operation = payload.extensions?.["persistedQuery"] ? null : plainOperation({ ...payload });
  return operation && direct.find(operation);
}

interface Sender {
  readonly requestId: string;
  readonly client: Caller;
  readonly charge: OperationCharge;
  readonly share: () => string;
  readonly isFromOtherOrigin: boolean;
}

async function runOperation(
  runtime: OperationRuntime,
  payload: SubscribePayload,
  { requestId, ...sender }: Sender,
): Promise<WebSocketOutcome> {
  // The runtime reads the supergraph at its first HTTP request. A WebSocket may come before it.
  await runtime.getSchema();
  const { query, variables, operationName, extensions } = payload;
  const params = {
    query,
    ...(variables ? { variables } : {}),
    ...(operationName ? { operationName } : {}),
    // The others are not used, and would be kept as long as the operation is open.
    ...(extensions?.["persistedQuery"] ? { extensions: { persistedQuery: extensions["persistedQuery"] } } : {}),
  };
  // The runtime refuses mutations by GET.
  const request = new Request(`http://graph${GRAPHQL_PATH}`, {
    method: "POST",
    headers: { [REQUEST_ID_HEADER]: requestId },
  });
  const result = await runtime.getResultForParams(
    { params, request },
    { params, request, ...sender, caller: sender.client.apiKey?.name },
  );
  return result ?? [new GraphQLError("the operation has no result")];
}

/** A result without `data`: the operation did not run. */
function isRequestError(
  outcome: WebSocketOutcome,
): outcome is ExecutionResult & { readonly errors: readonly GraphQLError[] } {
  return "errors" in outcome && outcome.errors !== undefined && !("data" in outcome);
}

/** The error that callers get, without the HTTP status that the runtime attaches to errors in the request. */
function publicRequestError(error: GraphQLError, requestId: string, logger: Logger): GraphQLError {
  const code = codeOf(error);
  if (!REQUEST_ERROR_CODES.has(code)) return publicError(asGraphQLError(error), requestId, logger);
  const { message, nodes, source, positions } = error;
  return new GraphQLError(message, { nodes, source, positions, extensions: { code } });
}

function toGraphQLError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  return new GraphQLError(String(error), { originalError: error instanceof Error ? error : null });
}
