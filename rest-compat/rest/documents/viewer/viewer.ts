import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { Request } from "express";
import { createDocument, type HttpDocument } from "../../../../core/http/document.ts";
import type { Endpoint } from "../../answer.ts";
import { splitTarget } from "../../path.ts";

/** A document that the page shows. */
export interface ShownDocument {
  readonly name: string;
  /** Path of the document, relative to that of the service. */
  readonly path: string;
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const OWN_FILES = new URL(".", import.meta.url);
const SWAGGER_UI = pathToFileURL(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));

/** The files that the page loads, by name. */
const FILES = [
  ["page.css", "text/css", OWN_FILES],
  ["page.js", "text/javascript", OWN_FILES],
  ["swagger-ui.css", "text/css", SWAGGER_UI],
  ["swagger-ui-bundle.js", "text/javascript", SWAGGER_UI],
] as const;

/** The page at `/docs`, which shows the documents and sends requests, and the files that it loads. */
export function viewerEndpoints(shown: readonly ShownDocument[], maxAgeSeconds: number): Endpoint[] {
  const files = FILES.map(([name, type, folder]): Endpoint => {
    const load = async () => ({
      text: await readFile(new URL(name, folder)),
      contentType: `${type}; charset=utf-8`,
    });
    const document = createDocument({ maxAgeSeconds, load });
    return { path: `/docs/${name}`, method: "GET", base: "data", answer: () => ({ document }) };
  });
  const page = createPage(shown, { maxAgeSeconds, assets: "docs" });
  const pageWithSlash = createPage(shown, { maxAgeSeconds, assets: "../docs" });
  return [
    {
      path: "/docs",
      method: "GET",
      base: "data",
      answer: ({ request }) => {
        // The Router matches a path with and without a slash at its end, and has removed it from `url`.
        const { path } = splitTarget((request as Request).originalUrl);
        return { document: path.endsWith("/") ? pageWithSlash : page };
      },
    },
    ...files,
  ];
}

interface PageOptions {
  readonly maxAgeSeconds: number;
  /** Path of the files that the page loads, relative to that of the page. */
  readonly assets: string;
}

function createPage(shown: readonly ShownDocument[], { maxAgeSeconds, assets }: PageOptions): HttpDocument {
  const links = shown.map(({ name, path }) => `<a href="?document=${path}" data-document="${path}">${name}</a>`);
  return createDocument({
    maxAgeSeconds,
    async load() {
      const template = await readFile(new URL("page.html", OWN_FILES), "utf8");
      const text = template.replaceAll("ASSETS", assets).replace("LINKS", links.join("\n"));
      return { text, contentType: "text/html; charset=utf-8", headers: { "content-security-policy": POLICY } };
    },
  });
}
