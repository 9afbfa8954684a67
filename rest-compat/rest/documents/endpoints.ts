import { readFile } from "node:fs/promises";
import type { Config } from "../../../core/config/config-schema.ts";
import { inlineHash } from "../../../core/http/content-policy.ts";
import { createDocument } from "../../../core/http/document.ts";
import type { Endpoint } from "../answer.ts";
import { openApiDocument } from "./openapi.ts";
import { openRpcDocument, rpcAsOpenApi } from "./openrpc.ts";
import { viewerEndpoints } from "./viewer/viewer.ts";

/** How long caches may use a document after an update of Moraine. */
const MAX_AGE_SECONDS = 300;

/** The welcome page, the documents that describe the interfaces, and the page that shows them. */
export function documentEndpoints({ dialect, hostedPrefix }: Pick<Config, "dialect" | "hostedPrefix">): Endpoint[] {
  const hosted =
    hostedPrefix === "" ? [] : [{ name: "REST, hosted dialect", path: `${hostedPrefix.slice(1)}/openapi.json` }];
  const shown = [{ name: "REST", path: "openapi.json" }, ...hosted, { name: "Node interface", path: "docs/node.json" }];
  return [
    welcomePage(),
    jsonEndpoint("/openapi.json", () => openApiDocument(dialect)),
    ...hosted.map(({ path }) => jsonEndpoint(`/${path}`, () => openApiDocument("hosted"))),
    jsonEndpoint("/openrpc.json", openRpcDocument),
    jsonEndpoint("/docs/node.json", rpcAsOpenApi),
    ...viewerEndpoints(shown, MAX_AGE_SECONDS),
  ];
}

function welcomePage(): Endpoint {
  const document = createDocument({
    maxAgeSeconds: MAX_AGE_SECONDS,
    async load() {
      const text = await readFile(new URL("../../welcome.html", import.meta.url), "utf8");
      const policy = `default-src 'none'; style-src ${inlineHash(text, "style")}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
      return { text, contentType: "text/html; charset=utf-8", headers: { "content-security-policy": policy } };
    },
  });
  return { path: "/", method: "GET", base: "data", answer: () => ({ document }) };
}

function jsonEndpoint(path: string, contentOf: () => object): Endpoint {
  const document = createDocument({
    maxAgeSeconds: MAX_AGE_SECONDS,
    load: () => ({ text: JSON.stringify(contentOf()), contentType: "application/json; charset=utf-8" }),
  });
  return { path, method: "GET", base: "data", answer: () => ({ document }) };
}
