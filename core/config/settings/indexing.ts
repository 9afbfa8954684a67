import { z } from "zod";
import { headers, milliseconds, positive, url } from "./fields.ts";

/** The setting `indexing`. */
export const indexing = z.strictObject({
  pollIntervalMs: milliseconds
    .default(500)
    .describe("Pause between two requests for a node's latest block. It varies by up to a tenth."),
  requestTimeoutMs: milliseconds.default(15_000).describe("Timeout of one request to a node."),
  maxConcurrency: z
    .number()
    .int()
    .min(1)
    .max(256)
    .default(16)
    .describe("Maximum number of concurrent requests to a node. Moraine lowers the actual number if the node is slow."),
  maxBatchSize: z
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(100)
    .describe("Maximum number of calls in one JSON-RPC batch. Moraine lowers the actual number if the node is slow."),
  batchBlocks: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(500)
    .describe("Maximum number of blocks written in one transaction while the indexer is far behind the head."),
  rebuildIndexesAfterBlocks: z
    .number()
    .int()
    .min(0)
    .default(10_000)
    .describe(
      "When an EVM chain has caught up, Moraine rebuilds its indexes once in the background, as `moraine compact` does, if at least this number of blocks, and a tenth of the chain, were written in batches since the last time. This takes hours for a large chain, and needs as much free disk space as the largest index has, up to a few percent of the database. Several chains may do it at the same time. 0: never.",
    ),
  proofEveryBlocks: z
    .number()
    .int()
    .min(0)
    .default(1_000)
    .describe(
      "After this number of new blocks of an EVM chain, and every ten minutes at the node's head, Moraine compares a sample of the indexed rows with the stored blocks and with the node, in the background. 0: never, also for primary networks.",
    ),
  processes: z
    .number()
    .int()
    .min(1)
    .max(64)
    .optional()
    .describe(
      "Number of processes that index: each has a share of the chains and networks, so several catch up on several cores. A process needs up to 400 MB. If not set: one for every two cores and every 4 GB of memory, at most one for each chain or network, and one for the demo.",
    ),
  niceness: z
    .number()
    .int()
    .min(0)
    .max(19)
    .default(5)
    .describe(
      "How much lower the priority of the indexer's processes is than that of the API if `npm start` runs both, as the niceness of the operating system. It also holds for the indexer's sessions of the embedded PostgreSQL, not for those of another server. It has an effect only while all cores are busy: the API then answers first. 0: the same priority.",
    ),
  standbyPollMs: milliseconds
    .default(1_000)
    .describe("Pause between two attempts of a standby process to become the writer of a chain."),
});

/** The setting `prices`. */
export const prices = z.strictObject({
  url: url
    .optional()
    .describe(
      "URL of an API that is compatible with CoinGecko's, such as `https://api.coingecko.com/api/v3`. If not set, Moraine requests no prices.",
    ),
  headers: headers.default({}).describe("HTTP headers sent with each request, for example an API key."),
  pollIntervalMs: milliseconds.default(300_000).describe("Pause between two requests for the current prices."),
  maxAgeSeconds: positive
    .default(172_800)
    .describe("Maximum age of a price at the time for which it is requested. Older prices are not returned."),
});

/** The setting `nftMetadata`. */
export const nftMetadata = z.strictObject({
  remote: z
    .boolean()
    .default(true)
    .describe("Whether to fetch `https:` and `ipfs:` URIs. If `false`, only `data:` URIs are read."),
  ipfsGateway: url
    .default("https://ipfs.io")
    .describe("Gateway for `ipfs:` URIs. Any address and port, and `http:`, are allowed for it."),
  requestTimeoutMs: milliseconds
    .default(10_000)
    .describe("Timeout for the metadata of one token, including redirects."),
  maxBytes: positive.default(1_048_576).describe("Maximum size of a token's metadata in bytes."),
  maxRedirects: z.number().int().min(0).max(20).default(5).describe("Maximum number of redirects that are followed."),
  maxConcurrency: z
    .number()
    .int()
    .min(1)
    .max(64)
    .default(8)
    .describe("Maximum number of concurrent fetches for one chain."),
});
