import cors from "cors";
import type { RequestHandler } from "express";
import { PREFLIGHT_SECONDS, TRACE_HEADERS } from "../../core/http/cors.ts";
import { RATE_LIMIT_HEADERS } from "../../core/limits/access/rate-limit.ts";
import { REQUEST_ID_HEADER } from "../../core/observability/request-id.ts";
import { ROUTES } from "../routes.ts";

const EXPOSED_HEADERS = [...RATE_LIMIT_HEADERS, REQUEST_ID_HEADER, "etag"].join(", ");
const ROUTE_HEADERS = new Set(ROUTES.flatMap(({ headers = {} }) => Object.keys(headers)));

/** A proxy in front of Moraine may read `authorization`. */
const ALLOWED_HEADERS = ["content-type", "if-none-match", REQUEST_ID_HEADER, "authorization", ...TRACE_HEADERS];

/** Answers an OPTIONS request with 204, so that web pages of any origin may call the API. */
export function createPreflight(keyHeaders: readonly string[]): RequestHandler {
  return cors({
    methods: "GET, HEAD, POST, OPTIONS",
    allowedHeaders: [...ALLOWED_HEADERS, ...keyHeaders, ...ROUTE_HEADERS].join(", "),
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
  });
}

/**
 * Headers, names and values alternating, that let web pages of any origin read a response. The library would build them again for each
 * request.
 */
export const CORS_HEADERS: readonly string[] = [
  "Access-Control-Allow-Origin",
  "*",
  "Access-Control-Expose-Headers",
  EXPOSED_HEADERS,
];
