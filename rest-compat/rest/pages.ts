import { readFile } from "node:fs/promises";
import { Failure } from "../../core/errors.ts";
import { inlineHash } from "../../core/http/content-policy.ts";
import { createDocument } from "../../core/http/document.ts";
import type { Answer, Endpoint } from "./answer.ts";
import type { CheckHealth } from "./health-check.ts";
import { jsonReply } from "./reply.ts";

const ALIVE = JSON.stringify({ status: "ok", info: {}, error: {}, details: {} });
const GRAPH_UP = { graph: { status: "up" } };
const HEALTHY = JSON.stringify({ status: "ok", info: GRAPH_UP, error: {}, details: GRAPH_UP });

/**
 * The probes of the hosted service: `live-check` succeeds if the process answers, `health-check` if the graph does. Both fail after
 * the signal was aborted.
 */
export function healthEndpoints(check: CheckHealth, signal: AbortSignal | undefined): Endpoint[] {
  const requireRunning = () => {
    if (signal?.aborted) throw new Failure("UNAVAILABLE", "the server is shutting down");
  };
  const health: Answer = async ({ requestId }) => {
    requireRunning();
    await check(requestId);
    return jsonReply(200, HEALTHY);
  };
  const live: Answer = () => {
    requireRunning();
    return jsonReply(200, ALIVE);
  };
  return [
    { path: "/v1/health-check", method: "GET", base: "data", answer: health },
    { path: "/v1/live-check", method: "GET", base: "data", answer: live },
    { path: "/v2/health-check", method: "GET", base: "metrics", answer: health },
    { path: "/v2/live-check", method: "GET", base: "metrics", answer: live },
  ];
}

/** How long caches may use a document after an update of Moraine. */
const MAX_AGE_SECONDS = 300;

/** The welcome page for people and the OpenAPI document for programs. */
export function documentEndpoints(): Endpoint[] {
  const contract = createDocument({
    maxAgeSeconds: MAX_AGE_SECONDS,
    async load() {
      const text = await readFile(new URL("../../spec/openapi.json", import.meta.url), "utf8");
      return { text, contentType: "application/json; charset=utf-8" };
    },
  });
  const welcome = createDocument({
    maxAgeSeconds: MAX_AGE_SECONDS,
    async load() {
      const text = await readFile(new URL("../welcome.html", import.meta.url), "utf8");
      const policy = `default-src 'none'; style-src ${inlineHash(text, "style")}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
      return { text, contentType: "text/html; charset=utf-8", headers: { "content-security-policy": policy } };
    },
  });
  return [
    { path: "/", method: "GET", base: "data", answer: () => ({ document: welcome }) },
    { path: "/openapi.json", method: "GET", base: "data", answer: () => ({ document: contract }) },
  ];
}
