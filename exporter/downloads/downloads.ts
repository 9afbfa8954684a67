import type { IncomingMessage, ServerResponse } from "node:http";
import type pg from "pg";
import type { Config } from "../../core/config/config-schema.ts";
import { loadSecret, withOutage } from "../../core/database/database.ts";
import { Failure } from "../../core/errors/errors.ts";
import { contentDisposition, contentType } from "../../core/exports/files/file-headers.ts";
import { LINKS_SECRET } from "../../core/exports/files/file-links.ts";
import { isSignatureOf, linkPath } from "../../core/exports/files/links.ts";
import { PREFLIGHT_SECONDS, TRACE_HEADERS } from "../../core/http/cors.ts";
import { httpRoute, setRoute } from "../../core/http/observe-http.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { requestIdOf } from "../../core/observability/request-id.ts";
import { exportDirectory } from "../files/create-store.ts";
import { findCompleteFile } from "./complete-file.ts";
import { decideConditions } from "./conditions.ts";
import { ConditionFailed, sendFailure } from "./failure.ts";
import { passOn } from "./pass-on.ts";
import { sendFile } from "./send-file.ts";

export interface DownloadsOptions {
  readonly config: Pick<Config, "exports" | "dataDirectory">;
  readonly pool: pg.Pool;
  readonly logger: Logger;
  readonly nowSeconds?: () => number;
}

/**
 * Serves exported files to those who have a signed link: those of the local directory, and those of other processes by the setting
 * `exports.servedBy`.
 */
export interface Downloads {
  /** True if the request is for an exported file, by GET, HEAD or OPTIONS. */
  accepts(request: IncomingMessage): boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
}

const ROUTE = httpRoute("/v1/operations/{operationId}/file");
const EXPOSED_HEADERS = "accept-ranges, content-disposition, content-length, content-range, etag, x-request-id";

const METHODS: ReadonlySet<string | undefined> = new Set(["GET", "HEAD"]);
const PREFLIGHT = {
  "access-control-allow-methods": "GET, HEAD, OPTIONS",
  "access-control-allow-headers": ["range", "if-range", "if-none-match", ...TRACE_HEADERS].join(", "),
  "access-control-max-age": String(PREFLIGHT_SECONDS),
};

export function createDownloads(options: DownloadsOptions): Downloads {
  const { config, pool, logger, nowSeconds = () => Math.floor(Date.now() / 1_000) } = options;
  const directory = exportDirectory(config);
  let secret: Buffer | undefined;
  const fileOf = async (link: LinkedFile) => {
    secret ??= await loadSecret(pool, LINKS_SECRET);
    checkLink(secret, link, nowSeconds());
    return findCompleteFile(pool, directory, link.operationId);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const link = parseTarget(request.url);
    if (!link || !METHODS.has(request.method))
      throw new Failure("NOT_FOUND", `Cannot ${request.method} ${request.url}`);
    const file = await withOutage(() => fileOf(link));
    if (!file) {
      const passedOn = {
        request,
        response,
        path: linkPath(link.operationId, link.expires ?? "", link.signature ?? ""),
      };
      if (await passOn(passedOn, { urls: config.exports.servedBy, logger })) return;
      throw notThere(link.operationId);
    }
    const etag = `"${file.sha256}"`;
    if (!decideConditions(request.headers, etag)) throw new ConditionFailed();
    response.setHeader("etag", etag);
    response.setHeader("content-type", contentType(file));
    response.setHeader("content-disposition", contentDisposition(file));
    response.setHeader("cache-control", "private");
    if (!(await sendFile(request, response, file))) throw notThere(link.operationId);
  };
  return {
    accepts: ({ method, url }) => (METHODS.has(method) || method === "OPTIONS") && parseTarget(url) !== null,
    handle(request, response) {
      const requestId = requestIdOf(request);
      setRoute(response, ROUTE);
      response.setHeader("access-control-allow-origin", "*");
      response.setHeader("access-control-expose-headers", EXPOSED_HEADERS);
      if (request.method === "OPTIONS") return void response.writeHead(204, PREFLIGHT).end();
      answer(request, response).catch((error: unknown) => sendFailure(error, { request, response, requestId, logger }));
    },
  };
}

function notThere(operationId: string): Failure {
  return new Failure(
    "NOT_FOUND",
    `operation ${operationId} has no file: it does not exist, has not completed, or has expired`,
  );
}

/** A request for a file, as the URL states it. */
interface LinkedFile {
  readonly operationId: string;
  readonly expires: string | null;
  readonly signature: string | null;
}

/** As in REST, duplicate slashes and a trailing slash are ignored. */
const PATH = /^\/+v1\/+operations\/+([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/+file\/*(?:\?(.*))?$/;

/** Parses the target of a request. Null if it is not that of an exported file. */
function parseTarget(url = ""): LinkedFile | null {
  const [match, operationId = "", query = ""] = PATH.exec(url) ?? [];
  if (match === undefined) return null;
  const parameters = new URLSearchParams(query);
  return { operationId, expires: parameters.get("expires"), signature: parameters.get("signature") };
}

/** Throws `FORBIDDEN` if the service has not signed the link, or if it has expired. */
function checkLink(secret: Buffer, { operationId, expires, signature }: LinkedFile, nowSeconds: number): void {
  if (expires === null || signature === null)
    throw new Failure("FORBIDDEN", "the link has no signature: use the downloadUrl of the operation");
  const isSigned = /^\d{1,12}$/.test(expires) && isSignatureOf(secret, operationId, Number(expires), signature);
  if (!isSigned)
    throw new Failure("FORBIDDEN", "the signature is not valid for this link: use the downloadUrl of the operation");
  if (Number(expires) <= nowSeconds)
    throw new Failure("FORBIDDEN", "the link has expired: read the operation again for a new downloadUrl");
}
