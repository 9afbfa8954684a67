import { parentPort } from "node:worker_threads";
import { renderGraphiQL } from "@graphql-yoga/render-graphiql";
import { inlineHash } from "../../core/http/content-policy.ts";
import type { RenderedPage } from "./rendered-page.ts";

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

// Renders the page in a thread of its own, which then ends: the package contains the page as a text of 9 MB in a program. To read it takes
// about 100 ms and 30 MB.
const text = renderGraphiQL({ title: "Moraine", defaultQuery: DEFAULT_QUERY }).trim();
// Long buffers have a memory of their own, which can be given to another thread.
const bytes = Buffer.from(text);
const page: RenderedPage = { bytes, scriptHash: inlineHash(text, "script") };
parentPort?.postMessage(page, [bytes.buffer]);
