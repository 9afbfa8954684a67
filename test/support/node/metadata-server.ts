import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { AddressPolicy } from "../../../indexer/evm/nft/address-policy.ts";
import { type Certificate, selfSigned } from "./certificate.ts";

/** A name of the server that only its own `addressPolicy` resolves. */
export const METADATA_HOST = "metadata.test";
export const GOOD = JSON.stringify({ name: "Good", description: "As it should be" });

type Answer = (response: ServerResponse, request: IncomingMessage, self: MetadataServer) => void;

const json = (body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Answer => {
  return (response) => response.writeHead(200, { "content-type": "application/json", ...headers }).end(body);
};
const status = (code: number, headers: Readonly<Record<string, string>> = {}): Answer => {
  return (response) => response.writeHead(code, headers).end("no");
};
const packed = (encoding: string, bytes: Buffer): Answer => {
  return (response) => response.writeHead(200, { "content-encoding": encoding }).end(bytes);
};

/** The server's behaviour by path. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  "/good": json(GOOD),
  "/as-html": json(GOOD, { "content-type": "text/html" }),
  "/html": json("<!doctype html><script>alert(1)</script>", { "content-type": "text/html" }),
  "/array": json("[1, 2, 3]"),
  "/text": json('"text"'),
  "/null": json("null"),
  "/empty": json(""),
  "/proto": json('{"__proto__": {"name": "polluted"}, "constructor": 1, "name": "Own"}'),
  "/latin": json(Buffer.from('{"name": "Caf\u00e9"}', "latin1"), {
    "content-type": "application/json; charset=iso-8859-1",
  }),
  "/large": json(JSON.stringify({ name: "x".repeat(70_000) })),
  "/large-in-pieces": (response) => {
    response.writeHead(200);
    const piece = setInterval(() => response.write("x".repeat(10_000)), 1);
    response.on("close", () => clearInterval(piece));
  },
  "/gzip": packed("gzip", gzipSync(GOOD)),
  "/deflate": packed("deflate", deflateSync(GOOD)),
  "/br": packed("br", brotliCompressSync(GOOD)),
  "/gzip-bomb": packed("gzip", gzipSync(Buffer.alloc(50_000_000))),
  "/gzip-cut": packed("gzip", gzipSync(GOOD).subarray(0, 30)),
  "/gzip-none": packed("gzip", Buffer.from(GOOD)),
  "/unknown-encoding": packed("zstd2", Buffer.from(GOOD)),
  "/constructor-encoding": packed("constructor", Buffer.from(GOOD)),
  "/too-short": (response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write(GOOD.slice(0, 20), () => response.destroy());
  },
  "/never": () => {},
  "/slow": (response) => {
    response.writeHead(200);
    const drop = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(drop));
  },
  "/cut": (response) => response.destroy(),
  "/throttled": status(429, { "retry-after": "1234" }),
  "/throttled-until": (response) => {
    response.writeHead(429, { "retry-after": new Date(Date.now() + 500_000).toUTCString() }).end();
  },
  "/missing": status(404),
  "/broken": status(500),
  "/busy": status(503, { "retry-after": "77" }),
  "/redirect": status(302, { location: "/good" }),
  "/redirect-twice": status(308, { location: "/redirect" }),
  "/loop": status(301, { location: "/loop" }),
  "/redirect-nowhere": status(302),
  "/redirect-to-http": (response, _request, self) =>
    status(302, { location: self.url.replace("https", "http") })(response, _request, self),
  "/redirect-to-data": status(302, { location: "data:application/json,{}" }),
  "/redirect-to-file": status(302, { location: "file:///etc/passwd" }),
  "/headers": (response, request) => {
    response.end(JSON.stringify({ name: "Headers", attributes: request.headers }));
  },
};

/** An HTTPS server whose path selects how it answers: slowly, endlessly, with a redirect or with invalid data. */
export interface MetadataServer extends AsyncDisposable {
  /** With its host name, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Number of opened connections. */
  readonly connections: number;
  readonly paths: readonly string[];
  /** Allows connections only to the server, by its name and at its port. */
  readonly addressPolicy: AddressPolicy;
}

export interface MetadataServerOptions {
  /** Serve HTTP instead of HTTPS, like a gateway in a private network. */
  readonly isPlain?: boolean;
  /** Targets of redirects by path. */
  readonly redirects?: Readonly<Record<string, string>>;
  /** JSON documents by path. */
  readonly documents?: Readonly<Record<string, string>>;
  /** Requests for paths with this prefix are never answered. */
  readonly never?: string;
}

export async function startMetadataServer({
  isPlain = false,
  redirects = {},
  documents = {},
  never = "/never",
}: MetadataServerOptions = {}): Promise<MetadataServer> {
  const certificate: Certificate = selfSigned([METADATA_HOST]);
  const seen = { connections: 0, paths: [] as string[] };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? "";
    seen.paths.push(path);
    const answer = ANSWERS[path] ?? status(404);
    const location = redirects[path];
    const document = documents[path];
    if (path.startsWith(never)) return;
    if (location !== undefined) status(302, { location })(response, request, self);
    else if (document !== undefined) json(document)(response, request, self);
    else answer(response, request, self);
  };
  const server = isPlain ? createHttpServer(listener) : createHttpsServer({ ...certificate }, listener);
  server.on("connection", () => seen.connections++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const self: MetadataServer = {
    url: isPlain ? `http://127.0.0.1:${port}` : `https://${METADATA_HOST}:${port}`,
    port,
    get connections() {
      return seen.connections;
    },
    get paths() {
      return seen.paths;
    },
    addressPolicy: {
      isAllowed: (address, asked) => address === "127.0.0.1" && asked === port,
      resolve: async (hostname) => (hostname === METADATA_HOST ? ["127.0.0.1"] : []),
      ca: certificate.cert,
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return self;
}
