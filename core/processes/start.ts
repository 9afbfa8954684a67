import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";
import type { Config } from "../config/config-schema.ts";
import { compressFor } from "../http/compression.ts";
import { answerNotFound } from "../http/error-answer.ts";
import { listenAt } from "../http/listen.ts";
import { answerMalformedRequest } from "../http/malformed-request.ts";
import { DefaultedResponse } from "../http/response.ts";
import { serverUrl } from "../http/server-url.ts";
import { metricsText, recordForParent } from "../observability/forked-metrics.ts";
import type { Logger } from "../observability/logger.ts";
import { useTracing } from "../observability/observe.ts";
import { readGauge, startRecording } from "../observability/registry.ts";
import { showRejections } from "../observability/rejections.ts";
import { VERSION } from "../observability/version.ts";

export interface Observability extends AsyncDisposable {
  /** Port of `/metrics`; null if metrics are off. */
  readonly metricsPort: number | null;
}

/**
 * Starts what the setting `observability` switches on: `/metrics` on a listener of its own, and traces. `service` is the name of the
 * process in traces. Call it before the other parts are created. Rejects with `ConfigError` if the host or the port cannot be used.
 */
export async function startObservability(
  { observability }: Pick<Config, "observability">,
  service: string,
  logger: Logger,
): Promise<Observability> {
  const { host, port } = observability;
  logger.info({ version: VERSION, node: process.versions.node }, `Moraine ${VERSION} starts: ${service}`);
  const tracing = await startTracing(observability, service, logger);
  const server = port === undefined ? null : await listen(await startRecording(), host, port);
  if (server) logger.info(`metrics for Prometheus on ${serverUrl(host, server.port)}/metrics`);
  return {
    metricsPort: server?.port ?? null,
    async [Symbol.asyncDispose]() {
      await server?.[Symbol.asyncDispose]();
      await tracing[Symbol.asyncDispose]();
    },
  };
}

/** The same for a forked process. Its metrics are part of the `/metrics` of the process that has forked it. */
export async function startForkedObservability(
  { observability }: Pick<Config, "observability">,
  service: string,
  logger: Logger,
): Promise<AsyncDisposable> {
  if (observability.port !== undefined) await recordForParent(service);
  return startTracing(observability, service, logger);
}

interface Listener extends AsyncDisposable {
  readonly port: number;
}

async function listen(registry: Registry, host: string, port: number): Promise<Listener> {
  showRejections();
  const labels = { version: VERSION, node: process.versions.node };
  const buildInfo = readGauge("buildInfo", () => [{ labels, value: 1 }]);
  const server = createServer(
    { requireHostHeader: false, ServerResponse: DefaultedResponse },
    async (request, response) => {
      const { method, url } = request;
      response.setHeader("cache-control", "no-store");
      const isScrape = (method === "GET" || method === "HEAD") && url?.split("?")[0] === "/metrics";
      if (!isScrape) return answerNotFound(request, response);
      const text = await metricsText(registry);
      const { encoding, body } = (await compressFor(request, text)) ?? { encoding: null, body: text };
      response.setHeader("vary", "accept-encoding");
      if (encoding) response.setHeader("content-encoding", encoding);
      response.writeHead(200, { "content-type": registry.contentType, "content-length": Buffer.byteLength(body) });
      response.end(method === "HEAD" ? undefined : body);
    },
  );
  server.on("clientError", (error, socket) => answerMalformedRequest(error, socket));
  await listenAt(server, { host, port, hostSetting: "observability.host", portSetting: "observability.port" });
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      buildInfo[Symbol.dispose]();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Sends traces to the collector of the settings, if there is one, until it is disposed. */
async function startTracing(
  { tracesUrl, ...settings }: Config["observability"],
  service: string,
  logger: Logger,
): Promise<AsyncDisposable> {
  if (tracesUrl === undefined) return { [Symbol.asyncDispose]: async () => {} };
  const { createTracing } = await import("../observability/open-telemetry.ts");
  const tracing = createTracing({ ...settings, tracesUrl }, service, logger);
  useTracing(tracing);
  return {
    async [Symbol.asyncDispose]() {
      useTracing(null);
      await tracing[Symbol.asyncDispose]();
    },
  };
}
