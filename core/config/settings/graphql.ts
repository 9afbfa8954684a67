import { z } from "zod";
import { filePath } from "./fields.ts";
import { usageReporting } from "./usage-reporting.ts";

/** The setting `graphql`. */
export const graphqlSettings = z.strictObject({
  introspection: z
    .boolean()
    .default(true)
    .describe(
      "Whether callers may read the schema (`__schema`, `__type`). Must be `true` if REST runs in a process of its own, because REST reads the schema from the gateway.",
    ),
  publishSchemas: z
    .boolean()
    .default(true)
    .describe(
      "Whether callers may read the schemas of the graph as files at `/schema`, and its SDL as one subgraph by `_service`. Does not depend on `introspection`.",
    ),
  automaticPersistedQueries: z
    .boolean()
    .default(true)
    .describe(
      "Whether clients may send the SHA-256 of a document instead of a document that they sent before. Each process remembers up to 1,000 documents of at most 16,384 characters. No effect if `allowedOperationsFile` is set.",
    ),
  allowedOperationsFile: filePath
    .optional()
    .describe(
      "JSON file with the only GraphQL operations that callers of `/graphql` may run: an object of documents by id, or a manifest of persisted queries (`apollo-persisted-query-manifest`). Clients send the id as the hash of a persisted query, or the same document. If REST runs in a process of its own, the file must contain the documents of `rest-compat/operations` and the introspection query.",
    ),
  usageReporting: usageReporting
    .prefault({})
    .describe(
      "Schema registries to which the operations of callers of `/graphql` are reported, without values of variables and literals (docs/operate/registries.md).",
    ),
});
