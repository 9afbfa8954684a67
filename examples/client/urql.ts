import { Client, fetchExchange } from "@urql/core";
import { cacheExchange, type KeyingConfig } from "@urql/exchange-graphcache";
import type { ExampleClient } from "./client.ts";
import { EMBEDDED_TYPES } from "./generated/embedded-types.ts";

/** The cache keeps each object by its type and its `id`. It warns of objects without `id`, unless it is told that their types have no key. */
const keys: KeyingConfig = Object.fromEntries(EMBEDDED_TYPES.map((name) => [name, () => null]));

/** urql with its normalised cache. */
export function createUrqlClient(url: string): ExampleClient {
  const client = new Client({ url, exchanges: [cacheExchange({ keys }), fetchExchange], preferGetMethod: false });
  return {
    async read(document, variables) {
      const { data, error } = await client.query(document, variables, { requestPolicy: "network-only" });
      if (!data) throw error ?? new Error("the answer has no data");
      return data;
    },
    async cached(document, variables) {
      const { data } = await client.query(document, variables, { requestPolicy: "cache-only" });
      return data ?? null;
    },
  };
}
