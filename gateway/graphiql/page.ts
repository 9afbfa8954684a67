import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { createDocument, type HttpDocument } from "../../core/http/document.ts";
import type { RenderedPage } from "./rendered-page.ts";

const SCRIPT = fileURLToPath(new URL("worker.ts", import.meta.url));
const MAX_AGE_SECONDS = 3_600;

/** The GraphiQL page. It has 9 MB, which are rendered and compressed once, for the first request. */
export function createGraphiqlPage(): HttpDocument {
  return createDocument({
    maxAgeSeconds: MAX_AGE_SECONDS,
    vary: "accept",
    async load() {
      const { bytes, scriptHash } = await renderPage();
      const headers = { "content-security-policy": contentPolicy(scriptHash) };
      return { text: bytes, contentType: "text/html; charset=utf-8", headers };
    },
  });
}

function renderPage(): Promise<RenderedPage> {
  return new Promise((resolve, reject) => {
    // Without the options of this process, such as modules that it loads first.
    const worker = new Worker(SCRIPT, { execArgv: [] });
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
