import { OperationTypeNode } from "graphql";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { withResolvers } from "../../core/async/with-resolvers.ts";
import { Failure } from "../../core/errors/errors.ts";
import { startServer } from "../../core/http/server.ts";
import { createCallers } from "../../core/limits/access/callers.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { testConfig } from "../../test/support/config.ts";
import { createOpenConnections } from "../open-connections.ts";
import type { Operation } from "../operation/operation.ts";
import { createWebSockets, type WebSocketOptions } from "./websocket.ts";

interface ServeOptions {
  /** Default: an operation costs nothing. */
  readonly charge?: WebSocketOptions["charge"];
  /** Ends each operation. Default: at once. */
  readonly until?: Promise<unknown>;
  readonly operationsPerSocket?: number;
}

/** Serves operations over WebSockets. `onRun` gets what a message says about its operation. */
async function serve(onRun: (params: object) => void, options: ServeOptions = {}) {
  const { charge = () => undefined, until, operationsPerSocket } = options;
  const config = testConfig({ subscriptions: { operationsPerSocket } });
  const run: WebSocketOptions["run"] = async ({ read, sender }) => {
    await read();
    await until;
    await sender?.payment.settle();
    return { kind: "result", result: { data: {} } };
  };
  // The transport reads nothing else of an operation.
  const operation = { kind: OperationTypeNode.QUERY } as Operation;
  const webSockets = createWebSockets({
    run,
    async readOperation(params) {
      onRun(params);
      return { operation, variables: {}, cost: { rows: 0, values: 0, remoteValues: 0 } };
    },
    callers: createCallers(config),
    charge,
    connections: createOpenConnections(config.subscriptions),
    isFromOtherOrigin: () => false,
    settings: config.subscriptions,
    logger: createLogger("silent"),
  });
  const { upgrade } = webSockets;
  const server = await startServer({ host: "127.0.0.1", port: 0, idleGraceMs: 0, handler: () => {}, upgrade });
  return {
    url: `ws://127.0.0.1:${server.port}`,
    async [Symbol.asyncDispose]() {
      await webSockets[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const query = "{ __typename }";

describe("an operation that is refused because of the limits of its WebSocket", () => {
  const tooMany = { code: "RATE_LIMITED", message: "a connection may run at most 1 operations at the same time" };
  const usedUp = new Failure("RATE_LIMITED", "the limit is used up");

  /** Runs one operation and sends another one. Returns the error of that one. `ended` is resolved after that. */
  async function refusalOf(chargeUntil: (ended: Promise<void>) => ReturnType<WebSocketOptions["charge"]>) {
    const { promise: running, resolve: started } = withResolvers();
    const { promise: ended, resolve: end } = withResolvers();
    const charge = () => chargeUntil(ended);
    await using served = await serve(started, { charge, until: ended, operationsPerSocket: 1 });
    const client = createClient({ url: served.url, webSocketImpl: WebSocket, retryAttempts: 0 });
    // It is charged when it has ended.
    const first = client
      .iterate({ query })
      .next()
      .catch(() => {});
    await running;
    const errors = await client
      .iterate({ query })
      .next()
      .catch((reason: unknown) => reason);
    end();
    await first;
    await client.dispose();
    const [{ message, extensions }] = errors as [{ message: string; extensions: { code: string } }];
    return { code: extensions.code, message };
  }

  it("is answered without waiting for its charge, which may need the usage of other processes", async () => {
    let charges = 0;
    const refusal = refusalOf((ended) => {
      charges++;
      return ended;
    });
    expect(await refusal).toEqual(tooMany);
    expect(charges).toBe(2);
  });

  it("has the same answer if its charge is refused later, and another one if that is known at once", async () => {
    expect(await refusalOf(() => Promise.reject(usedUp))).toEqual(tooMany);
    const refuse = () => {
      throw usedUp;
    };
    expect(await refusalOf(refuse)).toEqual({ code: "RATE_LIMITED", message: "the limit is used up" });
  });
});
