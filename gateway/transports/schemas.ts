import type { IncomingMessage, ServerResponse } from "node:http";
import cors from "cors";
import { once } from "../../core/async/once.ts";
import { PREFLIGHT_SECONDS } from "../../core/http/cors.ts";
import { createDocument } from "../../core/http/document.ts";
import { answerNotFound } from "../../core/http/error-answer.ts";
import { SCHEMA_PATH, schemaNameOf } from "../../core/http/graph-path.ts";
import { httpRoute, setRoute } from "../../core/http/observe-http.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { REQUEST_ID_HEADER } from "../../core/observability/request-id.ts";
import { JSON_TYPE, type SchemaFile, schemaIndex } from "../schemas/schema-files.ts";

/** The version of the graph to which a published schema belongs. */
const VERSION_HEADER = "schema-version";
/** Short, because a service with other settings or of another version may have another schema. */
const MAX_AGE_SECONDS = 60;

const INDEX_ROUTE = httpRoute(SCHEMA_PATH);
const FILE_ROUTE = httpRoute(`${SCHEMA_PATH}/{name}`);

const allow = cors({
  methods: "GET, HEAD, OPTIONS",
  exposedHeaders: ["etag", VERSION_HEADER, REQUEST_ID_HEADER],
  maxAge: PREFLIGHT_SECONDS,
});

export interface SchemaHandlerOptions {
  /** Called for the first request. Empty if no schema is published. */
  readonly files: () => readonly SchemaFile[];
  readonly version: () => string;
  readonly logger: Logger;
}

/** Answers requests to `/schema`, the list of the files, and to `/schema/{name}`. */
export function createSchemaHandler({ files, version, logger }: SchemaHandlerOptions) {
  const documentOf = ({ contentType, text }: Pick<SchemaFile, "contentType" | "text">) =>
    createDocument({
      maxAgeSeconds: MAX_AGE_SECONDS,
      load: () => ({ text: text(), contentType }),
    });
  const documents = once(() => {
    const published = files();
    const index = { name: "", contentType: JSON_TYPE, text: () => schemaIndex(published) };
    return new Map([...published, ...(published.length > 0 ? [index] : [])].map((one) => [one.name, documentOf(one)]));
  });
  return (request: IncomingMessage, response: ServerResponse): void => {
    const name = schemaNameOf(request.url) ?? "";
    const document = documents().get(name);
    if (document) setRoute(response, name === "" ? INDEX_ROUTE : FILE_ROUTE);
    if (!document || !/^(GET|HEAD|OPTIONS)$/.test(request.method ?? "")) {
      answerNotFound(request, response);
      return;
    }
    allow(request, response, () => {
      response.setHeader(VERSION_HEADER, version());
      document.send(request, response).catch((error: unknown) => {
        logger.error({ err: error }, "a schema cannot be sent");
        response.destroy();
      });
    });
  };
}
