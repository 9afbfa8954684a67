import { once } from "node:events";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { listen } from "../../test/support/node/listen.ts";
import { compressJsonResponse } from "./compress-response.ts";

const JSON_HEAD = { "content-type": "application/json" };
const text = (length: number) => JSON.stringify({ data: "ab".repeat(length / 2) });

/** What is sent for a response that `answer` writes, to a caller that accepts `encodings`. */
async function sent(encodings: string, answer: (response: ServerResponse) => void) {
  await using listener = await listen((received, response) => {
    compressJsonResponse(received, response);
    answer(response);
  });
  const asked = request({ port: listener.port, headers: { "accept-encoding": encodings } }).end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  const { headers, statusCode, statusMessage } = response;
  const body = await buffer(response);
  return { status: `${statusCode} ${statusMessage}`, encoding: headers["content-encoding"], vary: headers.vary, body };
}

describe("a JSON response", () => {
  it.each([
    ["gzip", 5_000, "gzip"],
    ["gzip, br", 5_000, "gzip"],
    ["gzip, deflate, br, zstd", 100_000, "br"],
    ["br", 5_000, "br"],
    ["gzip", 100_000, "gzip"],
    ["gzip, br;q=0", 100_000, "gzip"],
    ["*", 5_000, "gzip"],
  ])("for a caller that accepts %s, of %i characters, is sent with %s", async (encodings, length, encoding) => {
    const answer = await sent(encodings, (response) => {
      response.writeHead(201, "Made", { ...JSON_HEAD, vary: "accept" });
      response.write(text(length));
      response.end();
    });
    expect(answer).toMatchObject({ status: "201 Made", encoding, vary: "accept, accept-encoding" });
    const body = encoding === "br" ? brotliDecompressSync(answer.body) : gunzipSync(answer.body);
    expect(String(body)).toBe(text(length));
  });

  it.each([
    ["is short", "gzip", [text(500)]],
    ["is for a caller that accepts no known encoding", "deflate, identity", [text(5_000)]],
    ["is written in parts", "gzip", [text(5_000), text(5_000), ""]],
  ])("that %s is sent as it is", async (_, encodings, parts) => {
    const answer = await sent(encodings, (response) => {
      response.writeHead(200, JSON_HEAD);
      for (const part of parts) response.write(part);
      response.end();
    });
    expect(answer).toMatchObject({ status: "200 OK", encoding: undefined });
    expect(String(answer.body)).toBe(parts.join(""));
  });

  it("with headers that are set before is compressed, also if the head is not written explicitly", async () => {
    const answer = await sent("gzip", (response) => {
      response.setHeader("content-type", "application/graphql-response+json");
      response.statusCode = 400;
      response.end(text(2_000));
    });
    expect(answer).toMatchObject({ status: "400 Bad Request", encoding: "gzip" });
  });
});

it("an event stream is sent event by event", async () => {
  let firstArrived: (() => void) | undefined;
  const arrived = new Promise<void>((done) => {
    firstArrived = done;
  });
  await using listener = await listen(async (received, response) => {
    compressJsonResponse(received, response);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("event: next\n\n");
    await arrived;
    response.end("event: complete\n\n");
  });
  const asked = request({ port: listener.port, headers: { "accept-encoding": "gzip" } }).end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  const events: string[] = [];
  for await (const event of response) {
    events.push(String(event));
    firstArrived?.();
  }
  expect(events).toEqual(["event: next\n\n", "event: complete\n\n"]);
});
