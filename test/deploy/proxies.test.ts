import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { selfSigned } from "../support/node/certificate.ts";
import { freePort } from "../support/node/listen.ts";
import { type Stack, startStack } from "../support/stack.ts";

const NAME = "data.example.com";
const certificate = selfSigned([NAME]);

/** Where an example is run: its own ports, and a certificate in place of the operator's. */
interface Place {
  readonly directory: string;
  readonly port: number;
  readonly moraine: number;
}

interface Proxy {
  readonly command: string;
  readonly file: string;
  /** Changes nothing but addresses and the certificate. */
  adapted(text: string, place: Place): string;
  args(file: string, place: Place): readonly string[];
}

const PROXIES: readonly Proxy[] = [
  {
    command: "nginx",
    file: "deploy/proxy/nginx.conf",
    adapted: (text, { directory, port, moraine }) => `pid ${directory}/pid; error_log stderr; events {}
http { access_log off; client_body_temp_path ${directory}; proxy_temp_path ${directory}; fastcgi_temp_path ${directory};
uwsgi_temp_path ${directory}; scgi_temp_path ${directory};
${text
  .replace("listen 443", `listen 127.0.0.1:${port}`)
  .replace("127.0.0.1:4000", `127.0.0.1:${moraine}`)
  .replaceAll(/\/etc\/ssl\/data\.example\.com\.(pem|key)/g, `${directory}/certificate.$1`)}
}`,
    args: (file, { directory }) => ["-p", directory, "-c", file, "-g", "daemon off;"],
  },
  {
    command: "caddy",
    file: "deploy/proxy/Caddyfile",
    adapted: (text, { directory, port, moraine }) => `{
  admin off
  auto_https disable_redirects
}
${text
  .replace(`${NAME} {`, `${NAME}:${port} {\n  tls ${directory}/certificate.pem ${directory}/certificate.key`)
  .replace("127.0.0.1:4000", `127.0.0.1:${moraine}`)}`,
    args: (file) => ["run", "--adapter", "caddyfile", "--config", file],
  },
];

let stack: Stack;
let database: Awaited<ReturnType<typeof indexedAlpha>>;
beforeAll(async () => {
  database = await indexedAlpha();
  const settings = { trustProxy: "x-forwarded-for", connectionsPerAddress: 0 };
  stack = await startStack({ database, config: database.config, settings });
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** Runs an example on a port of its own until it is disposed. */
async function start({ command, file, adapted, args }: Proxy): Promise<AsyncDisposable & { readonly port: number }> {
  const place = {
    directory: mkdtempSync(join(tmpdir(), "moraine-proxy-")),
    port: await freePort(),
    moraine: stack.port,
  };
  const config = join(place.directory, "config");
  writeFileSync(join(place.directory, "certificate.pem"), certificate.cert);
  writeFileSync(join(place.directory, "certificate.key"), certificate.key);
  writeFileSync(config, adapted(readFileSync(file, "utf8"), place));
  const env = { PATH: process.env["PATH"], HOME: place.directory };
  const child: ChildProcess = spawn(command, args(config, place), { env, stdio: ["ignore", "ignore", "pipe"] });
  let text = "";
  child.stderr?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  for (let isOpen = false; !isOpen; ) {
    if (child.exitCode !== null) throw new Error(`${command} ended: ${text}`);
    isOpen = await get(place.port, "/moraine/v1/live-check").then(
      () => true,
      () => false,
    );
    if (!isOpen) await new Promise((done) => setTimeout(done, 50));
  }
  return {
    port: place.port,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      rmSync(place.directory, { recursive: true });
    },
  };
}

interface Answer {
  readonly status: number | undefined;
  readonly body: unknown;
}

/** GETs a path from the proxy as a client with the public name does, which checks the certificate. */
async function get(port: number, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const sent = request({
    host: "127.0.0.1",
    port,
    path,
    servername: NAME,
    ca: certificate.cert,
    headers: { host: NAME, ...headers },
  });
  sent.end();
  const [response] = await once(sent, "response");
  return { status: response.statusCode, body: await json(response) };
}

describe.each(PROXIES)("$file", (proxy) => {
  const isInstalled = spawnSync(proxy.command, ["-h"]).error === undefined;
  (isInstalled ? it : it.skip)(
    `serves Moraine with TLS below /moraine/${isInstalled ? "" : ` (${proxy.command} is not installed)`}`,
    async () => {
      await using running = await start(proxy);
      const chains = await get(running.port, "/moraine/v1/chains");
      expect(chains).toEqual({ status: 200, body: (await stack.get("/v1/chains")).body });
      const { body } = await get(running.port, "/moraine/openapi.json");
      const { servers } = body as { readonly servers: readonly { readonly url: string }[] };
      const server = new URL(servers[0]?.url ?? "", `https://${NAME}/moraine/openapi.json`);
      expect(server.href).toBe(`https://${NAME}/moraine/`);
    },
  );
});
