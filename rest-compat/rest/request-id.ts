import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";

export const REQUEST_ID_HEADER = "x-request-id";

/** Sets the response's request id: the caller's, if it is safe in a log line and a header, or a new one. */
export const setRequestId: RequestHandler = ({ headers }, response, next) => {
  const given = headers[REQUEST_ID_HEADER];
  const isSafe = typeof given === "string" && /^[\w.:/+=@-]{1,128}$/.test(given);
  response.setHeader(REQUEST_ID_HEADER, isSafe ? given : randomUUID());
  next();
};
