import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { createLogger } from "../../core/observability/logger.ts";
import { type Served, serveGateway } from "./served.ts";
import { createSmallSubgraphs } from "./small-subgraphs.ts";

let gateway: Served;
let changes = 0;
beforeAll(async () => {
  const { supergraph, subgraphs } = createSmallSubgraphs(undefined, () => void changes++);
  gateway = await serveGateway(subgraphs, createLogger("silent"), supergraph);
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** Sends a GET request with the path as it is; `fetch` would resolve `/../` in it. */
async function get(path: string): Promise<{ readonly status: number | undefined; readonly text: string }> {
  const { hostname, port } = new URL(gateway.url);
  const sent = request({ hostname, port, path, headers: { accept: "application/json" } }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, text };
}

const QUERY = `query=${encodeURIComponent("{ count }")}`;

describe("a GraphQL request by GET", () => {
  it.each([
    `${QUERY}&variables={`,
    `${QUERY}&extensions=x`,
    `${QUERY}&variables=[]`,
    `${QUERY}&variables=1`,
    `${QUERY}&extensions=1`,
  ])("is refused with 400 if a parameter is not a JSON object: %s", async (parameters) => {
    const { status, text } = await get(`/graphql?${parameters}`);
    expect([status, JSON.parse(text).errors[0].extensions]).toEqual([400, { code: "BAD_REQUEST" }]);
  });

  it.each(["health-of-the-gateway", "healthcheck", "readiness", "graphql"])(
    "is answered as GraphQL if its parameters contain the path of another route: /%s",
    async (route) => {
      const answer = { status: 200, text: '{"data":{"count":2}}' };
      expect(await get(`/graphql?${QUERY}&a=/../${route}`)).toEqual(answer);
      expect(await get(`/graphql?a=/../${route}&${QUERY}`)).toEqual(answer);
    },
  );

  it.each(["/healthcheck", "/readiness", "/other", "/graphql/../readiness"])(
    "is answered with 404 at any other path: %s",
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );
});

describe("a GraphQL request without a query", () => {
  it.each(["", "?query=", `?variables={}`])("is refused with 400: GET /graphql%s", async (parameters) => {
    const { status, text } = await get(`/graphql${parameters}`);
    const error = { message: "the request must have a query", extensions: { code: "BAD_REQUEST" } };
    expect([status, JSON.parse(text)]).toEqual([400, { errors: [error] }]);
  });

  it("is refused with 400 by POST too, whatever JSON type it accepts", async () => {
    for (const accept of ["application/json", "application/graphql-response+json"]) {
      const headers = { "content-type": "application/json", accept };
      const response = await fetch(gateway.url, { method: "POST", headers, body: "{}" });
      expect([response.status, response.headers.get("allow")]).toEqual([400, null]);
    }
  });
});

describe("a GraphQL request that accepts no type of answer", () => {
  it.each(["text/plain", "image/*", "application/json; charset=latin1", "text/html"])(
    "is refused with 406 before it runs: %s",
    async (accept) => {
      const headers = { "content-type": "application/json", accept };
      const body = JSON.stringify({ query: "mutation { change }" });
      const response = await fetch(gateway.url, { method: "POST", headers, body });
      const [{ message, extensions }] = (await response.json()).errors;
      expect([response.status, message, extensions]).toEqual([
        406,
        expect.stringMatching(/^Accept must allow application\/graphql-response\+json/),
        { code: "INVALID_PARAMETER" },
      ]);
      expect(changes).toBe(0);
    },
  );

  it.each(["", "*/*", "application/*", "text/plain, application/json;q=0.1", "multipart/mixed, */*", "*/json"])(
    "is answered if one of several is possible: %s",
    async (accept) => {
      const headers = { "content-type": "application/json", accept };
      const response = await fetch(gateway.url, {
        method: "POST",
        headers,
        body: JSON.stringify({ query: "{ count }" }),
      });
      expect(response.status).toBe(200);
    },
  );
});

describe("a preflight for GraphQL", () => {
  it("allows any header, such as those for tracing, and may be used for a day", async () => {
    const names = "content-type,authorization,traceparent,tracestate,baggage";
    const headers = {
      origin: "https://a.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": names,
    };
    const response = await fetch(gateway.url, { method: "OPTIONS", headers });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-headers")?.replaceAll(" ", "")).toBe(names);
    expect(response.headers.get("access-control-max-age")).toBe("86400");
  });
});

describe("a GraphQL request that a web page can send without a preflight", () => {
  it.each([
    ["application/x-www-form-urlencoded", `query=${encodeURIComponent("mutation { change }")}`],
    ["multipart/form-data; boundary=x", "--x--"],
    ["text/plain", JSON.stringify({ query: "mutation { change }" })],
    ["application/jsonx", JSON.stringify({ query: "mutation { change }" })],
    ["text/plain; application/json", JSON.stringify({ query: "mutation { change }" })],
    ["", JSON.stringify({ query: "mutation { change }" })],
  ])("is refused with 415: POST with the content type %j", async (type, body) => {
    const response = await fetch(gateway.url, { method: "POST", headers: { "content-type": type }, body });
    expect([response.status, (await response.json()).errors]).toEqual([
      415,
      [
        {
          message: expect.stringContaining("must be application/json, or application/graphql"),
          extensions: { code: "INVALID_PARAMETER" },
        },
      ],
    ]);
  });

  it("is refused with 405 if it is a mutation by GET", async () => {
    expect((await get(`/graphql?query=${encodeURIComponent("mutation { change }")}`)).status).toBe(405);
  });
});

describe("a GraphQL request with a body that is larger than the limit", () => {
  it.each(["POST", "DELETE", "PUT"])("is refused with 413, whatever its method is: %s", async (method) => {
    const headers = { "content-type": "application/json", accept: "application/json" };
    const { hostname, port } = new URL(gateway.url);
    const sent = request({
      hostname,
      port,
      path: "/graphql",
      method,
      headers: { ...headers, "content-length": 2_000_000 },
    });
    sent.on("error", () => {});
    sent.flushHeaders();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    let text = "";
    for await (const chunk of response) text += String(chunk);
    sent.destroy();
    const message = "the body must be of at most 1048576 bytes";
    expect([response.statusCode, JSON.parse(text)]).toEqual([
      413,
      { errors: [{ message, extensions: { code: "INVALID_PARAMETER" } }] },
    ]);
  });
});

describe("a GraphQL request whose body has no announced length", () => {
  const post = async (size: number) => {
    const text = JSON.stringify({ query: "{ count }", extensions: { padding: "x".repeat(size) } });
    const chunks = Array.from({ length: 8 }, (_, at) =>
      text.slice((at * text.length) / 8, ((at + 1) * text.length) / 8),
    );
    const { hostname, port } = new URL(gateway.url);
    const headers = { "content-type": "application/json", accept: "application/json" };
    const sent = request({ hostname, port, path: "/graphql", method: "POST", headers });
    // A server that refuses the body closes the connection.
    sent.on("error", () => {});
    const answered = once(sent, "response") as Promise<[IncomingMessage]>;
    for (const chunk of chunks) sent.write(chunk);
    sent.end();
    const [response] = await answered;
    let answer = "";
    for await (const chunk of response) answer += String(chunk);
    return { status: response.statusCode, ...JSON.parse(answer) };
  };

  it("is answered like others", async () => {
    expect(await post(100_000)).toEqual({ status: 200, data: { count: 2 } });
  });

  it("is refused with 413 if the body is larger than the limit", async () => {
    const message = "the body must be of at most 1048576 bytes";
    expect(await post(2_000_000)).toEqual({
      status: 413,
      errors: [{ message, extensions: { code: "INVALID_PARAMETER" } }],
    });
  });
});

describe("a GraphQL request that the parser cannot take", () => {
  const post = async (body: string) => {
    const headers = { "content-type": "application/json", accept: "application/json" };
    const response = await fetch(gateway.url, { method: "POST", headers, body });
    return { status: response.status, ...((await response.json()) as { readonly errors: readonly object[] }) };
  };

  it.each(["{", "NaN", "[".repeat(20_000)])(
    "is refused with 400 and without details if its body is not JSON",
    async (body) => {
      expect(await post(body)).toEqual({
        status: 400,
        errors: [{ message: "the body must be JSON", extensions: { code: "BAD_REQUEST" } }],
      });
    },
  );

  it.each([
    `{ echo(id: ${"[".repeat(1_900)}${"]".repeat(1_900)}) }`,
    `{ thing { ${"self { ".repeat(1_000)} id ${"}".repeat(1_002)}`,
  ])("is refused if its document is nested too deeply", async (query) => {
    const { errors } = await post(JSON.stringify({ query }));
    expect(errors).toMatchObject([
      { message: "a document may have at most 100 levels of nesting", extensions: { code: "OPERATION_TOO_COMPLEX" } },
    ]);
  });

  it("is refused if its document is too long, without the document in the answer", async () => {
    const { errors } = await post(JSON.stringify({ query: `{ count } #${"x".repeat(100_000)}` }));
    const message = "a document may have at most 100,000 characters, this one has 100,011";
    expect(errors).toEqual([{ message, extensions: { code: "OPERATION_TOO_COMPLEX" } }]);
  });
});
