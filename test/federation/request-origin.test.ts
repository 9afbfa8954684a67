import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { createLogger } from "../../core/observability/logger.ts";
import { recordRejections } from "../support/metrics.ts";
import { type Served, serveGateway } from "./served.ts";
import { createSmallSubgraphs } from "./small-subgraphs.ts";

const { supergraph, subgraphs } = createSmallSubgraphs();
let served: Served;
beforeAll(async () => {
  served = await serveGateway(subgraphs, createLogger("silent"), supergraph);
});
afterAll(() => served[Symbol.asyncDispose]());

interface Asked {
  readonly operationName?: string;
  /** Default: that of the server's URL. */
  readonly host?: string;
}

/** The answer to an operation over a WebSocket whose handshake has this `Origin`. */
async function ask(query: string, origin: string | undefined, { operationName, host }: Asked = {}): Promise<unknown> {
  class Socket extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, { ...(origin === undefined ? {} : { origin }), ...(host ? { headers: { host } } : {}) });
    }
  }
  const client = createClient({ url: served.url.replace("http", "ws"), webSocketImpl: Socket, retryAttempts: 0 });
  try {
    const payload = operationName === undefined ? { query } : { query, operationName };
    return (await client.iterate(payload).next()).value;
  } catch (errors) {
    return errors;
  } finally {
    await client.dispose();
  }
}

const OTHER = ["https://example.com", "http://127.0.0.1:1", "null", "nonsense"];
const MESSAGE = "web pages of other origins cannot send mutations over WebSocket: send them by POST";
const REFUSED = { data: null, errors: [{ message: MESSAGE, extensions: { code: "FORBIDDEN" } }] };

describe("over a WebSocket", () => {
  it("programs and pages of the same origin can send mutations, also if a proxy adds TLS", async () => {
    const { host } = new URL(served.url);
    for (const origin of [undefined, `http://${host}`, `https://${host}`])
      expect(await ask("mutation { change }", origin)).toEqual({ data: { change: 1 } });
  });

  it("the port of the scheme may be named in Host and left out in Origin", async () => {
    const mutation = "mutation { change }";
    expect(await ask(mutation, "https://name", { host: "name:443" })).toEqual({ data: { change: 1 } });
    expect(await ask(mutation, "http://name", { host: "name:80" })).toEqual({ data: { change: 1 } });
    expect(await ask(mutation, "https://name", { host: "name:80" })).toEqual(REFUSED);
  });

  it.each(OTHER)("a page of the origin %s cannot send mutations, but queries and subscriptions", async (origin) => {
    const rejected = await recordRejections();
    expect(await ask("mutation { change }", origin)).toEqual(REFUSED);
    expect(await ask("query A { count } mutation B { change }", origin, { operationName: "B" })).toEqual(REFUSED);
    expect(await rejected("other_origin")).toBe(2);
    expect(await ask("query A { count } mutation B { change }", origin, { operationName: "A" })).toEqual({
      data: { count: 2 },
    });
    expect(await ask("subscription { changed { id } }", origin)).toEqual({ data: { changed: { id: "1" } } });
  });
});
