import cors from "cors";
import type { RequestHandler } from "express";
import { RATE_LIMIT_HEADERS } from "../access/rate-limit.ts";
import { ROUTES } from "../routes.ts";
import { REQUEST_ID_HEADER } from "./request-id.ts";

const ROUTE_HEADERS = new Set(ROUTES.flatMap(({ headers = {} }) => Object.keys(headers)));

/** Lets web pages of any origin call the API and read its headers. Answers every OPTIONS request with 204. */
export function createCors(keyHeaders: readonly string[]): RequestHandler {
  return cors({
    methods: "GET, HEAD, POST, OPTIONS",
    allowedHeaders: ["content-type", REQUEST_ID_HEADER, ...keyHeaders, ...ROUTE_HEADERS].join(", "),
    exposedHeaders: [...RATE_LIMIT_HEADERS, REQUEST_ID_HEADER].join(", "),
    maxAge: 86_400,
  });
}
