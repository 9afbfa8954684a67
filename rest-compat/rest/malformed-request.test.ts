import { exchangeBytes, listen } from "../../test/support/node/listen.ts";
import { expectNotStored, expectSecureAnswer } from "../../test/support/security-headers.ts";
import { answerMalformedRequest } from "./malformed-request.ts";

const OK = (_: unknown, response: { end(text: string): void }) => response.end("fine");

describe("a malformed request is answered with the documented error:", () => {
  it.each([
    ["a URL above Node's limit", `GET /${"x".repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, "16 KiB"],
    ["a header above Node's limit", `GET / HTTP/1.1\r\nhost: x\r\ncookie: ${"x".repeat(20_000)}\r\n\r\n`, "16 KiB"],
    ["bytes that are not HTTP", "\u0016\u0003\u0001 hello\r\n\r\n", "HTTP/1.1"],
    ["a header without a colon", "GET / HTTP/1.1\r\nhost: x\r\nnonsense\r\n\r\n", "HTTP/1.1"],
    ["two lengths of one body", "GET / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", "HTTP/1.1"],
  ])("%s", async (_, bytes, rule) => {
    await using listener = await listen(OK, answerMalformedRequest);
    const [head = "", body = ""] = (await exchangeBytes(listener.port, bytes)).split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\ncontent-type: application\/json; charset=utf-8\r\n/);
    expectSecureAnswer(head, 400);
    expectNotStored(head);
    expect(JSON.parse(body)).toMatchObject({
      message: expect.stringContaining(rule),
      statusCode: 400,
      error: "Bad Request",
    });
    expect(await exchangeBytes(listener.port, "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")).toMatch(
      /fine$/,
    );
  });

  it("without a body if the method is HEAD", async () => {
    await using listener = await listen(OK, answerMalformedRequest);
    const answer = await exchangeBytes(listener.port, "HEAD / HTTP/1.1\r\nhost: x\r\nnonsense\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*\r\n\r\n$/);
  });
});
