import { until } from "../../../test/support/indexed/indexing.ts";
import {
  GOOD,
  METADATA_HOST,
  type MetadataServer,
  startMetadataServer,
} from "../../../test/support/node/metadata-server.ts";
import { type AddressPolicy, PUBLIC_WEB } from "./address-policy.ts";
import { createMetadataClient, type MetadataClientOptions } from "./metadata-client.ts";
import { MetadataUnavailable } from "./statuses.ts";

const MAX_BYTES = 60_000;

let server: MetadataServer;
beforeAll(async () => {
  server = await startMetadataServer();
});
afterAll(() => server[Symbol.asyncDispose]());

interface Outcome {
  readonly status: string;
  readonly retryAfterSeconds?: number;
  readonly text?: string;
  readonly charset?: string | null;
}

/** The result of reading a URL with a client of its own. */
async function read(
  url: string,
  options: Partial<MetadataClientOptions> & { readonly isGateway?: boolean } = {},
): Promise<Outcome> {
  const { isGateway = false, ...others } = options;
  const { signal } = new AbortController();
  const limits = { requestTimeoutMs: 10_000, maxBytes: MAX_BYTES, maxRedirects: 3, maxConcurrency: 2 };
  await using client = createMetadataClient({ ...limits, addressPolicy: server.addressPolicy, signal, ...others });
  return await outcomeOf(client.read(new URL(url), isGateway));
}

async function outcomeOf(reading: Promise<{ bytes: Uint8Array; charset: string | null }>): Promise<Outcome> {
  try {
    const { bytes, charset } = await reading;
    return { status: "read", text: Buffer.from(bytes).toString(), charset };
  } catch (error) {
    if (!(error instanceof MetadataUnavailable)) throw error;
    return { status: error.status, retryAfterSeconds: error.retryAfterSeconds };
  }
}

const unreachable = { status: "UNREACHABLE_TOKEN_URI", retryAfterSeconds: 0 };
const tooLarge = { status: "METADATA_CONTENT_TOO_LARGE", retryAfterSeconds: 0 };

describe("NFT metadata is fetched", () => {
  it.each(["/good", "/as-html", "/gzip", "/deflate", "/br", "/redirect", "/redirect-twice"])(
    "as a whole from %s",
    async (path) => {
      expect(await read(server.url + path)).toMatchObject({ status: "read", text: GOOD });
    },
  );

  it("with the declared charset", async () => {
    expect(await read(`${server.url}/latin`)).toMatchObject({ status: "read", charset: "iso-8859-1" });
  });

  it("with its own user agent, and without credentials, cookies or referrer", async () => {
    const { text = "" } = await read(`${server.url.replace("://", "://user:password@")}/headers`);
    const { attributes } = JSON.parse(text);
    expect(Object.keys(attributes).sort()).toEqual(["accept", "accept-encoding", "connection", "host", "user-agent"]);
    expect(attributes["user-agent"]).toBe("moraine");
  });

  it.each([
    ["/large", tooLarge],
    ["/large-in-pieces", tooLarge],
    ["/gzip-bomb", tooLarge],
    ["/gzip-cut", unreachable],
    ["/gzip-none", unreachable],
    ["/unknown-encoding", unreachable],
    ["/constructor-encoding", unreachable],
    ["/too-short", unreachable],
    ["/cut", unreachable],
    ["/missing", unreachable],
    ["/broken", unreachable],
    ["/busy", { status: "UNREACHABLE_TOKEN_URI", retryAfterSeconds: 77 }],
    ["/throttled", { status: "THROTTLED_TOKEN_URI", retryAfterSeconds: 1_234 }],
    ["/loop", unreachable],
    ["/redirect-nowhere", unreachable],
    ["/redirect-to-http", unreachable],
    ["/redirect-to-data", unreachable],
    ["/redirect-to-file", unreachable],
  ])("but not from %s", async (path, outcome) => {
    expect(await read(server.url + path)).toEqual(outcome);
  });

  it("but not before the date in retry-after", async () => {
    const { status, retryAfterSeconds } = await read(`${server.url}/throttled-until`);
    expect(status).toBe("THROTTLED_TOKEN_URI");
    expect(retryAfterSeconds).toBeGreaterThan(490);
    expect(retryAfterSeconds).toBeLessThanOrEqual(500);
  });

  it("with at most the allowed redirects", async () => {
    const before = server.paths.length;
    await read(`${server.url}/loop`, { maxRedirects: 3 });
    expect(server.paths.slice(before)).toEqual(["/loop", "/loop", "/loop", "/loop"]);
    expect(await read(`${server.url}/redirect-twice`, { maxRedirects: 1 })).toEqual(unreachable);
  });

  it.each(["/never", "/slow"])("no longer than the request timeout: %s", async (path) => {
    expect(await read(server.url + path, { requestTimeoutMs: 300 })).toEqual(unreachable);
  });

  it("within the request timeout if the name servers do not answer", async () => {
    const addressPolicy = { ...server.addressPolicy, resolve: () => new Promise<never>(() => {}) };
    expect(await read(`${server.url}/good`, { requestTimeoutMs: 200, addressPolicy })).toEqual(unreachable);
  });

  it("only with a valid certificate of the name", async () => {
    const addressPolicy = { ...server.addressPolicy, resolve: async () => ["127.0.0.1"] };
    expect(await read(`https://other.test:${server.port}/good`, { addressPolicy })).toEqual(unreachable);
    const { ca: _, ...untrusting } = server.addressPolicy;
    expect(await read(`${server.url}/good`, { addressPolicy: untrusting })).toEqual(unreachable);
  });

  it("until the indexer stops", async () => {
    const stop = new AbortController();
    const before = server.paths.length;
    const reading = read(`${server.url}/never`, { signal: stop.signal });
    const failing = expect(reading).rejects.toThrow("stopped");
    await until(
      async () => server.paths.length,
      (count) => count > before,
      "the request",
    );
    stop.abort(new Error("stopped"));
    await failing;
  });
});

/** Spellings of addresses that are not public. */
const INWARD = [
  "127.0.0.1",
  "127.1",
  "0x7f.1",
  "0x7f000001",
  "2130706433",
  "017700000001",
  "0177.0.0.1",
  "127.0.0.1.",
  "%31%32%37.0.0.1",
  "①②⑦.⓪.⓪.①",
  "localhost",
  "LOCALHOST.",
  "0.0.0.0",
  "0",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "[2001:0:7f00:1::]",
  "169.254.169.254",
  "[fd00:ec2::254]",
  "10.0.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "100.64.0.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "[fc00::1]",
  "[fdff::1]",
  "[fe80::1]",
  "[fec0::1]",
  "[ff02::1]",
];

describe("no request is sent to a private address", () => {
  /** The production policy, with a record of its decisions. */
  function recorded(resolve: AddressPolicy["resolve"]): { addressPolicy: AddressPolicy; decisions: boolean[] } {
    const decisions: boolean[] = [];
    const isAllowed: AddressPolicy["isAllowed"] = (address, port) => {
      decisions.push(PUBLIC_WEB.isAllowed(address, port));
      return decisions.at(-1) ?? false;
    };
    return { addressPolicy: { isAllowed, resolve }, decisions };
  }

  it.each(INWARD)("https://%s/", async (host) => {
    const { addressPolicy, decisions } = recorded(async () => ["127.0.0.1"]);
    expect(await read(`https://${host}/good`, { addressPolicy })).toEqual(unreachable);
    expect(decisions).toEqual([false]);
  });

  it.each([
    ["127.0.0.1"],
    ["10.1.2.3"],
    ["169.254.169.254"],
    ["::1"],
    ["fd12::1"],
    ["fe80::1"],
    ["::ffff:10.0.0.1"],
    ["64:ff9b::a00:1"],
    ["192.168.0.1", "::1"],
  ])("to a name whose addresses are %s and so on", async (...addresses) => {
    const { addressPolicy, decisions } = recorded(async () => addresses);
    expect(await read("https://innocent.test/good", { addressPolicy })).toEqual(unreachable);
    expect(decisions).toEqual(addresses.map(() => false));
  });

  it("by the default, to a real server of this machine", async () => {
    const before = server.connections;
    for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0x7f.1"])
      expect(await read(`https://${host}:${server.port}/good`, { addressPolicy: PUBLIC_WEB })).toEqual(unreachable);
    expect(server.connections).toBe(before);
  });

  it("to a public address at another port than that of HTTPS", () => {
    const ports = [22, 25, 80, 443, 5432, 8443];
    expect(ports.filter((port) => PUBLIC_WEB.isAllowed("8.8.8.8", port))).toEqual([443]);
  });

  it("by a name whose address changes between the check and the connection", async () => {
    await using inside = await startMetadataServer();
    const answers = [["127.0.0.1"], ["127.0.0.2"]];
    // The rule allows 127.0.0.1; a second lookup of the name returns 127.0.0.2.
    const addressPolicy = {
      ...inside.addressPolicy,
      resolve: async () => answers.shift() ?? ["127.0.0.2"],
    };
    const { signal } = new AbortController();
    const limits = { requestTimeoutMs: 2_000, maxBytes: 1_000, maxRedirects: 0, maxConcurrency: 1 };
    await using client = createMetadataClient({ ...limits, addressPolicy, signal });
    const url = new URL(`${inside.url}/good`);
    expect(await outcomeOf(client.read(url, false))).toMatchObject({ status: "read" });
    expect(answers).toHaveLength(1);
    // One lookup per connection: the client connects only to the checked address.
    await using again = createMetadataClient({ ...limits, addressPolicy, signal });
    expect(await outcomeOf(again.read(url, false))).toEqual(unreachable);
  });

  it("but to the allowed ones among a name's addresses", async () => {
    const addressPolicy = { ...server.addressPolicy, resolve: async () => ["10.0.0.1", "127.0.0.1", "::1"] };
    expect(await read(`${server.url}/good`, { addressPolicy })).toMatchObject({ status: "read" });
  });

  it("by a redirect", async () => {
    await using inside = await startMetadataServer();
    const targets = {
      "/to-port": `https://${METADATA_HOST}:${inside.port}/good`,
      "/to-literal": `https://127.0.0.1:${inside.port}/good`,
      "/to-decimal": `https://2130706433:${inside.port}/good`,
      "/to-mapped": `https://[::ffff:127.0.0.1]:${inside.port}/good`,
      "/to-name": `https://localhost:${inside.port}/good`,
      "/protocol-relative": `//127.0.0.1:${inside.port}/good`,
    };
    await using outside = await startMetadataServer({ redirects: targets });
    for (const path of Object.keys(targets))
      expect(await read(outside.url + path, { addressPolicy: outside.addressPolicy })).toEqual(unreachable);
    expect(inside.connections).toBe(0);
    expect(outside.paths).toEqual(Object.keys(targets));
  });

  it("except to the operator's gateway, but not to its redirects", async () => {
    await using gateway = await startMetadataServer({ isPlain: true });
    const { url } = gateway;
    await using leading = await startMetadataServer({ isPlain: true, redirects: { "/ipfs/x": `${url}/good` } });
    const addressPolicy = PUBLIC_WEB;
    expect(await read(`${url}/good`, { addressPolicy, isGateway: true })).toMatchObject({ status: "read", text: GOOD });
    expect(await read(`${url}/good`, { addressPolicy })).toEqual(unreachable);
    const before = gateway.connections;
    expect(await read(`${leading.url}/ipfs/x`, { addressPolicy, isGateway: true })).toEqual(unreachable);
    expect(await read(`${url}/redirect`, { addressPolicy, isGateway: true })).toEqual(unreachable);
    expect(gateway.connections).toBe(before + 1);
    expect(gateway.paths.at(-1)).toBe("/redirect");
  });

  it("by a proxy of the environment", async () => {
    await using proxy = await startMetadataServer({ isPlain: true });
    const names = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY"];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = proxy.url;
    try {
      expect(await read(`${server.url}/good`)).toMatchObject({ status: "read" });
    } finally {
      names.forEach((name, i) => {
        if (before[i] === undefined) delete process.env[name];
        else process.env[name] = before[i];
      });
    }
    expect(proxy.connections).toBe(0);
  });
});

describe("a host that cannot be used", () => {
  it("receives no requests for other tokens for some time, which is not counted as their attempts", async () => {
    await using throttling = await startMetadataServer();
    const { signal } = new AbortController();
    const limits = { requestTimeoutMs: 2_000, maxBytes: 1_000, maxRedirects: 0, maxConcurrency: 1 };
    await using client = createMetadataClient({ ...limits, addressPolicy: throttling.addressPolicy, signal });
    const missedBy = (path: string) =>
      client.read(new URL(throttling.url + path), false).then(
        () => null,
        (error: unknown) => error as MetadataUnavailable,
      );
    expect(await missedBy("/throttled")).toMatchObject({ status: "THROTTLED_TOKEN_URI", isAttempt: true });
    const deferred = await missedBy("/good");
    expect(deferred).toMatchObject({ status: "THROTTLED_TOKEN_URI", isAttempt: false });
    expect(deferred?.retryAfterSeconds).toBeGreaterThanOrEqual(1_234);
    expect(throttling.paths).toEqual(["/throttled"]);
  });

  it("receives no requests for a while after its name or connection failed", async () => {
    let asked = 0;
    const resolve = async () => {
      asked++;
      return [];
    };
    const { signal } = new AbortController();
    const limits = { requestTimeoutMs: 2_000, maxBytes: 1_000, maxRedirects: 0, maxConcurrency: 1 };
    await using client = createMetadataClient({
      ...limits,
      addressPolicy: { ...server.addressPolicy, resolve },
      signal,
    });
    const url = new URL("https://gone.test/1");
    for (const isAttempt of [true, false, false])
      await expect(client.read(url, false)).rejects.toMatchObject({ status: "UNREACHABLE_TOKEN_URI", isAttempt });
    expect(asked).toBe(1);
  });

  it("does not include a host with a forbidden address", async () => {
    await using client = clientOf();
    for (const url of [`https://127.0.0.2:${server.port}/1`, "https://inner.test/1"])
      for (const _ of [1, 2])
        await expect(client.read(new URL(url), false)).rejects.toMatchObject({
          status: "UNREACHABLE_TOKEN_URI",
          isAttempt: true,
        });
  });

  it("for token URIs may still be used as the operator's gateway, and the reverse", async () => {
    await using gateway = await startMetadataServer({ isPlain: true });
    await using client = clientOf();
    const inner = new URL(`https://127.0.0.1:${gateway.port}/good`);
    for (const _ of [1, 2]) expect(await outcomeOf(client.read(inner, false))).toEqual(unreachable);
    expect(await outcomeOf(client.read(new URL(`${gateway.url}/good`), true))).toMatchObject({
      status: "read",
    });
    const throttled = new URL(`${server.url}/throttled`);
    expect(await outcomeOf(client.read(throttled, true))).toMatchObject(unreachable);
    expect(await outcomeOf(client.read(new URL(`${server.url}/good`), false))).toMatchObject({
      status: "read",
    });
  });

  it.each(["/never", "/slow", "/redirect-to-slow"])("is one whose %s times out three times", async (path) => {
    const redirects = { "/redirect-to-slow": "/slow" };
    await using slow = await startMetadataServer({ redirects });
    await using client = clientOf({ addressPolicy: slow.addressPolicy, requestTimeoutMs: 150, maxConcurrency: 8 });
    const look = () =>
      client.read(new URL(slow.url + path), false).catch((error: unknown) => error as MetadataUnavailable);
    for (const isAttempt of [true, true, true, false, false, false])
      expect(await look()).toMatchObject({ status: "UNREACHABLE_TOKEN_URI", isAttempt });
  });

  it("behind the gateway is only the CID that times out; other CIDs are still read", async () => {
    const documents = { "/ipfs/good/1": GOOD };
    await using gateway = await startMetadataServer({ isPlain: true, documents, never: "/ipfs/bad/" });
    await using client = clientOf({ requestTimeoutMs: 150 });
    const look = (path: string) =>
      client.read(new URL(gateway.url + path), true).then(
        () => "read",
        (error: unknown) => (error as MetadataUnavailable).isAttempt,
      );
    const bad: unknown[] = [];
    for (const id of [1, 2, 3, 4]) bad.push(await look(`/ipfs/bad/${id}`));
    expect(bad).toEqual([true, true, true, false]);
    expect(await look("/ipfs/good/1")).toBe("read");
  });
});

function clientOf(options: Partial<MetadataClientOptions> = {}) {
  const { signal } = new AbortController();
  const resolve = async (name: string) => (name === "inner.test" ? ["10.0.0.1"] : server.addressPolicy.resolve(name));
  const limits = { requestTimeoutMs: 2_000, maxBytes: 1_000, maxRedirects: 1, maxConcurrency: 1 };
  return createMetadataClient({ ...limits, addressPolicy: { ...server.addressPolicy, resolve }, signal, ...options });
}
