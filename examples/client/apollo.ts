import { ApolloClient, HttpLink, InMemoryCache } from "@apollo/client";
import type { ExampleClient } from "./client.ts";

/** Apollo Client. Its cache needs no settings: it keeps each object by its type and its `id`. */
export function createApolloClient(url: string): ExampleClient {
  const client = new ApolloClient({ link: new HttpLink({ uri: url }), cache: new InMemoryCache() });
  return {
    async read(query, variables) {
      // With `all`, an answer of which one field failed still has the other fields.
      const { data, error } = await client.query({ query, variables, fetchPolicy: "network-only", errorPolicy: "all" });
      if (!data) throw error ?? new Error("the answer has no data");
      return data as NonNullable<typeof data> & object;
    },
    cached: async (query, variables) => client.readQuery({ query, variables }),
  };
}
