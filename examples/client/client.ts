import type { TypedDocumentNode } from "@graphql-typed-document-node/core";

/** Variables of an operation, by name. */
export type Variables = Record<string, unknown>;

/** What the page needs of a GraphQL client. Both example clients have it. */
export interface ExampleClient {
  /**
   * Sends a query, and keeps the objects of the answer in the cache. A field that failed is null in the answer. Throws if the answer has no data
   * at all.
   */
  read<Data, Given extends Variables>(document: TypedDocumentNode<Data, Given>, variables: Given): Promise<Data>;
  /** Answers a query from the cache alone. Null if the cache lacks a part of the answer. */
  cached<Data, Given extends Variables>(
    document: TypedDocumentNode<Data, Given>,
    variables: Given,
  ): Promise<Data | null>;
}
