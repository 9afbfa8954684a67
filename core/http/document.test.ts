import { once } from "node:events";
import { connect } from "node:net";
import { listen } from "../../test/support/node/listen.ts";
import { inlineHash } from "./content-policy.ts";
import { createDocument } from "./document.ts";

const TEXT = "A document. ".repeat(1_000);

async function serve() {
  let loads = 0;
  const document = createDocument({
    maxAgeSeconds: 60,
    vary: "accept",
    load() {
      loads++;
      return { text: TEXT, contentType: "text/plain", headers: { "content-security-policy": "default-src 'none'" } };
    },
  });
  const listener = await listen((request, response) => void document.send(request, response));
  return { ...listener, loads: () => loads };
}

describe("a document", () => {
  it.each(["br", "gzip", "identity"])("is sent with the encoding %s", async (encoding) => {
    await using served = await serve();
    const response = await fetch(served.url, { headers: { "accept-encoding": encoding } });
    expect(response.headers.get("content-encoding") ?? "identity").toBe(encoding);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "public, max-age=60",
      vary: "accept, accept-encoding",
      "content-security-policy": "default-src 'none'",
    });
    expect(await response.text()).toBe(TEXT);
  });

  it("has one tag for all encodings, and is answered with 304 to callers that have it", async () => {
    await using served = await serve();
    const first = await fetch(served.url);
    const etag = first.headers.get("etag") ?? "";
    const tags = [etag, `"other", ${etag}`, "*", '"other"'];
    const statuses = await Promise.all(
      tags.map(async (tag) => {
        const headers = { "if-none-match": tag, "accept-encoding": "gzip" };
        const { status } = await fetch(served.url, { headers });
        return status;
      }),
    );
    expect(statuses).toEqual([304, 304, 304, 200]);
    expect(served.loads()).toBe(1);
  });

  it("has no body in the response to HEAD", async () => {
    await using served = await serve();
    const response = await fetch(served.url, { method: "HEAD", headers: { "accept-encoding": "identity" } });
    expect([response.headers.get("content-length"), await response.text()]).toEqual([String(TEXT.length), ""]);
  });

  it("is sent after a client left before it was loaded", async () => {
    await using served = await serve();
    const socket = connect(served.port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n", () => socket.resetAndDestroy());
    await once(socket, "close");
    expect(await (await fetch(served.url)).text()).toBe(TEXT);
  });
});

it("the hash of an inline element is that of its content", () => {
  const page = "<html><style>a { }</style><script>let a;</script></html>";
  expect(inlineHash(page, "script")).toBe("'sha256-81WALLbUROF1pWdYjuQYKuIcGgY/+TqVJr8UsV6Tkvo='");
  expect(() => inlineHash("<html></html>", "style")).toThrow("no inline style");
});
