import { type ExecutionResult, type GraphQLError, OperationTypeNode } from "graphql";
import type { Config } from "../../core/config/config-schema.ts";
import { Failure } from "../../core/errors/errors.ts";
import { type Caller, type Callers, requestInfo } from "../../core/limits/access/callers.ts";
import type { ChargeCaller } from "../../core/limits/access/rate-limit.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { countRejection } from "../../core/observability/rejections.ts";
import {
  createGraphQLWebSocketServer,
  type GraphQLWebSocketConnection,
  type GraphQLWebSocketServer,
} from "../../core/sockets/graphql-ws-server.ts";
import type { WebSocketOutcome } from "../../core/sockets/socket-operations.ts";
import type { OpenConnections } from "../open-connections.ts";
import { createOperationCharge, createSender } from "../operation/access.ts";
import type { ReadOperation } from "../operation/documents.ts";
import type { Outcome } from "../operation/outcome.ts";
import { paramsOfBody } from "../operation/params.ts";
import type { OperationRequest } from "../operation/run-operation.ts";
import { resultOf } from "../plan/fetch.ts";
import type { IsFromOtherOrigin } from "../request-origin.ts";

/** More than all operations of a usual client. With `connectionsPerCaller`, it bounds the memory that one caller needs. */
const OPERATION_BYTES = 1 << 20;
/** Of one connection. An operation that has no outcome yet takes about 10 kB, one that waits as much as its message. */
const STARTING_OPERATIONS = 10;

export interface WebSocketOptions {
  /** Runs an operation. Never rejects. */
  run(request: OperationRequest): Promise<Outcome>;
  readonly readOperation: ReadOperation;
  readonly callers: Callers;
  readonly charge: ChargeCaller;
  readonly connections: OpenConnections;
  readonly isFromOtherOrigin: IsFromOtherOrigin;
  readonly settings: Config["subscriptions"];
  readonly logger: Logger;
}

/** Serves operations of every kind over WebSocket. */
export function createWebSockets({
  run,
  readOperation,
  callers,
  charge,
  connections,
  isFromOtherOrigin,
  settings,
  logger,
}: WebSocketOptions): GraphQLWebSocketServer {
  const { operationsPerSocket, idleSeconds, unreadBytes } = settings;
  return createGraphQLWebSocketServer({
    logger,
    limits: {
      operations: operationsPerSocket,
      operationBytes: OPERATION_BYTES,
      starting: STARTING_OPERATIONS,
      idleMs: idleSeconds * 1_000,
      unreadBytes,
    },
    // The operations of a connection with an unknown key are refused one by one.
    admit(connection) {
      return connections.open(callers.shareOfConnection(membersOf(connection), connection.request));
    },
    async run(payload, operation) {
      const { request, requestId, work } = operation;
      try {
        const client = clientOf(operation, callers);
        const sender = createSender(client, request, { callers, charge });
        const outcome = await run({
          async read() {
            const requested = await readOperation(paramsOfBody(payload), sender, work);
            checkOrigin(requested.operation.kind, isFromOtherOrigin(request));
            return requested;
          },
          info: { ...requestInfo(client, requestId, work), headerOf: headersOf(operation) },
          sender,
          isStream: false,
        });
        if (outcome.kind === "result") await outcome.delay;
        return messagesOf(outcome);
      } catch (error) {
        if (error instanceof Failure) return [error];
        throw error;
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

/** Headers of the caller, as members of the payload of `connection_init`, else of the handshake. */
function headersOf(connection: GraphQLWebSocketConnection): (name: string) => string | undefined {
  return (name) => {
    const member = membersOf(connection).get(name);
    return typeof member === "string" ? member : connection.request.headers[name]?.toString();
  };
}

/** Refuses mutations over WebSockets that web pages of other origins have opened. Over HTTP, such pages need a preflight. */
function checkOrigin(kind: OperationTypeNode, isFromOtherOrigin: boolean): void {
  if (kind !== OperationTypeNode.MUTATION || !isFromOtherOrigin) return;
  countRejection("other_origin");
  throw new Failure("FORBIDDEN", "web pages of other origins cannot send mutations over WebSocket: send them by POST");
}

/** A result without `data` becomes the message `error`. */
function messagesOf(outcome: Outcome): WebSocketOutcome {
  if (outcome.kind === "events") return outcome.events;
  if (outcome.kind === "text") return resultOf(outcome.text);
  const { result } = outcome;
  return isRequestError(result) ? result.errors : result;
}

function isRequestError(result: ExecutionResult): result is { readonly errors: readonly GraphQLError[] } {
  return !("data" in result);
}
