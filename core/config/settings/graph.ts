import { z } from "zod";
import { areDistinct, filePath, graphRef, milliseconds, SECRET, url } from "./fields.ts";

const hive = z.strictObject({
  hive: z.strictObject({
    url: url.describe("Endpoint of the CDN for a target, with or without `/supergraph` at its end."),
    key: z.string().min(1).meta(SECRET).describe("Access key of the CDN."),
  }),
});

const uplink = z.strictObject({
  uplink: z.strictObject({
    graphRef,
    key: z.string().min(1).meta(SECRET).describe("API key of the graph."),
    urls: z
      .array(url)
      .min(1)
      .default(["https://uplink.api.apollographql.com/", "https://aws.uplink.api.apollographql.com/"]),
  }),
});

/** Headers that belong to one connection, or that say what the gateway itself sends. */
const OWN_HEADERS = /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|content-.*|accept|expect)$/;

const subgraph = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z][\w-]*$/, "must begin with a letter and have letters, digits, _ and - only")
    .describe("Name of the subgraph in the supergraph."),
  url: url
    .optional()
    .describe(
      "GraphQL URL of the subgraph, also of its subscriptions over graphql-ws. If `graph.supergraph` is set, it replaces the URL in the supergraph, and need not be set.",
    ),
  schema: filePath
    .optional()
    .describe(
      "File with the SDL of the subgraph. If not set, the subgraph is asked for it with `{ _service { sdl } }`.",
    ),
  headersToForward: z
    .array(
      z
        .string()
        .toLowerCase()
        .regex(/^[a-z0-9_-]+$/, "must be the name of a header")
        .refine((name) => !OWN_HEADERS.test(name), "must not be a header that the gateway sends itself"),
    )
    .default([])
    .describe(
      "Headers of callers that are sent to the subgraph. Over WebSocket, they are read from the payload of `connection_init`, else from the headers of the handshake. Subscriptions send them in the payload of `connection_init`.",
    ),
  timeoutMs: milliseconds
    .default(30_000)
    .describe("How long the subgraph may take until it begins its answer, and pause in it."),
  retries: z
    .number()
    .int()
    .min(0)
    .max(10)
    .default(0)
    .describe(
      "How often a query is sent again if the connection fails or the status is from 500 to 599. Mutations are never sent again.",
    ),
});

/** The setting `graph`. */
export const graphSettings = z.strictObject({
  supergraph: z
    .union([z.string().min(1), hive, uplink], {
      error: 'must be a file, a URL, {"hive":{"url":…,"key":…}} or {"uplink":{"graphRef":…,"key":…}}',
    })
    .meta(SECRET)
    .optional()
    .describe(
      'The supergraph in place of Moraine\'s own: a file, a URL, or the CDN of a registry: `{"hive":{"url":…,"key":…}}` (Hive), or `{"uplink":{"graphRef":…,"key":…,"urls":[…]}}` (Apollo Uplink).',
    ),
  subgraphs: z
    .array(subgraph)
    .default([])
    .refine((subgraphs) => areDistinct(subgraphs, ({ name }) => name), "must not contain a name twice")
    .describe(
      "Subgraphs of other teams, which are composed with those of Moraine. If `graph.supergraph` is set, how subgraphs of it are reached.",
    ),
  pollIntervalMs: z
    .number()
    .int()
    .min(0)
    .default(30_000)
    .describe(
      "How often the supergraph, or the SDL of the subgraphs, is read again, in milliseconds. 0: only by `moraine reload` and SIGHUP.",
    ),
});

export type GraphSettings = z.infer<typeof graphSettings>;
