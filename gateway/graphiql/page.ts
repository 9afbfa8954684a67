import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { GraphQLSchema } from "graphql";
import { createDocument, type HttpDocument } from "../../core/http/document.ts";
import type { RenderedPage } from "./rendered-page.ts";

const SCRIPT = fileURLToPath(new URL("worker.ts", import.meta.url));
const MAX_AGE_SECONDS = 3_600;

/** The query that GraphiQL opens with, if the schema has its field. */
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
const ANY_QUERY = `{
  __typename
}
`;

/** The GraphiQL page. It has 9 MB, which are rendered and compressed once, for the first request. */
export function createGraphiqlPage(schema: GraphQLSchema): HttpDocument {
  const query = schema.getQueryType()?.getFields()["chains"] ? DEFAULT_QUERY : ANY_QUERY;
  return createDocument({
    maxAgeSeconds: MAX_AGE_SECONDS,
    vary: "accept",
    async load() {
      const { bytes, scriptHash } = await renderPage(query);
      const headers = { "content-security-policy": contentPolicy(scriptHash) };
      return { text: bytes, contentType: "text/html; charset=utf-8", headers };
    },
  });
}

function renderPage(query: string): Promise<RenderedPage> {
  return new Promise((resolve, reject) => {
    // Without the options of this process, such as modules that it loads first.
    const worker = new Worker(SCRIPT, { execArgv: [], workerData: query });
    worker.once("message", resolve).once("error", reject);
    worker.once("exit", () =>
      reject(new Error("the thread that renders the GraphiQL page has ended without the page")),
    );
  });
}

/**
 * Allows the page's own script, which starts workers from blobs and adds style elements, and requests to this server. Images in
 * descriptions and all other servers are refused.
 */
function contentPolicy(scriptHash: string): string {
  return [
    "default-src 'none'",
    `script-src ${scriptHash}`,
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
