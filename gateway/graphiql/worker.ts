import { parentPort, workerData } from "node:worker_threads";
import { renderGraphiQL } from "@graphql-yoga/render-graphiql";
import { inlineHash } from "../../core/http/content-policy.ts";
import type { RenderedPage } from "./rendered-page.ts";

// Renders the page in a thread of its own, which then ends: the package contains the page as a text of 9 MB in a program. To read it takes
// about 100 ms and 30 MB.
const text = renderGraphiQL({ title: "Moraine", defaultQuery: workerData as string }).trim();
// Long buffers have a memory of their own, which can be given to another thread.
const bytes = Buffer.from(text);
const page: RenderedPage = { bytes, scriptHash: inlineHash(text, "script") };
parentPort?.postMessage(page, [bytes.buffer]);
