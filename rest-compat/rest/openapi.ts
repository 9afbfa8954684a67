import { readFile } from "node:fs/promises";
import type { Request } from "express";
import { LRUCache } from "lru-cache";
import type { Config } from "../../core/config/config-schema.ts";
import { createDocument, type HttpDocument } from "../../core/http/document.ts";
import { createPublicUrlReader, PROXY_HEADERS } from "../../core/limits/access/public-url.ts";
import type { Endpoint } from "./answer.ts";

type Settings = Pick<Config, "dialect" | "hostedPrefix" | "trustProxy" | "proxyHops">;

interface Server {
  readonly url: string;
}

interface OpenApi {
  readonly servers: readonly Server[];
  /** A path that only the hosted dialect has names its own servers. */
  readonly paths: Readonly<Record<string, { readonly servers?: readonly Server[] }>>;
}

/** Callers may send any host. */
const MAX_DOCUMENTS = 20;

/**
 * The OpenAPI document. Its server is the URL at which the caller reached Moraine, because programs that are generated from it need an
 * absolute address; if that is unknown, the address relative to the document.
 */
export function createOpenApiEndpoint(settings: Settings, maxAgeSeconds: number): Endpoint {
  const publicUrlOf = createPublicUrlReader(settings);
  const documents = new LRUCache<string, HttpDocument>({ max: MAX_DOCUMENTS });
  const documentFor = (server: string): HttpDocument => {
    const found = documents.get(server) ?? createDocumentFor(server, settings, maxAgeSeconds);
    documents.set(server, found);
    return found;
  };
  return {
    path: "/openapi.json",
    method: "GET",
    base: "data",
    answer({ request }) {
      // An app that mounts the Router sets `baseUrl`.
      const { baseUrl = "" } = request as Partial<Request>;
      const url = publicUrlOf(request);
      return { document: documentFor(url === null ? "." : url + baseUrl) };
    },
  };
}

function createDocumentFor(server: string, settings: Settings, maxAgeSeconds: number): HttpDocument {
  return createDocument({
    maxAgeSeconds,
    vary: ["host", ...PROXY_HEADERS].join(", "),
    async load() {
      const text = await readFile(new URL("../../spec/openapi.json", import.meta.url), "utf8");
      const document = withServer(JSON.parse(text) as OpenApi, server, settings);
      return { text: JSON.stringify(document), contentType: "application/json; charset=utf-8" };
    },
  });
}

function withServer(document: OpenApi, url: string, { dialect, hostedPrefix }: Settings): OpenApi {
  const paths = Object.entries(document.paths).flatMap(([path, { servers, ...methods }]) => {
    if (!servers || dialect === "hosted") return [[path, methods]];
    return hostedPrefix === ""
      ? []
      : [[path, { servers: servers.map((one) => ({ ...one, url: url + hostedPrefix })), ...methods }]];
  });
  return { ...document, servers: [{ url }], paths: Object.fromEntries(paths) };
}
