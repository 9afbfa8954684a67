import type { IncomingMessage } from "node:http";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { inlineHash } from "../core/http/content-policy.ts";
import { createDocument, type HttpDocument } from "../core/http/document.ts";

/** The query that GraphiQL opens with. */
const DEFAULT_QUERY = `{
  chains {
    chains {
      chainId
      chainName
      indexing { state blockNumber }
    }
  }
}
`;

const MAX_AGE_SECONDS = 3_600;

/** The GraphiQL page. It has 9 MB, which are rendered and compressed once, for the first request. */
export function createGraphiqlPage(): HttpDocument {
  return createDocument({
    maxAgeSeconds: MAX_AGE_SECONDS,
    vary: "accept",
    async load() {
      // The package contains the page as a text, which would take 30 MB in processes that are never asked for it.
      const { renderGraphiQL } = await import("@graphql-yoga/render-graphiql");
      const text = renderGraphiQL({ title: "Moraine", defaultQuery: DEFAULT_QUERY }).trim();
      await yieldToEventLoop();
      const headers = { "content-security-policy": contentPolicy(text) };
      return { text, contentType: "text/html; charset=utf-8", headers };
    },
  });
}

/** True if a browser asks for a page instead of the result of an operation. */
export function asksForPage({ method, headers }: IncomingMessage): boolean {
  return (method === "GET" || method === "HEAD") && headers.accept?.includes("text/html") === true;
}

/**
 * Allows the page's own script, which starts workers from blobs and adds style elements, and requests to this server. Images in
 * descriptions and all other servers are refused.
 */
function contentPolicy(page: string): string {
  return [
    "default-src 'none'",
    `script-src ${inlineHash(page, "script")}`,
    "worker-src blob:",
    "style-src 'unsafe-inline'",
    "img-src data:",
    "font-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
