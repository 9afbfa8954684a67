import { readFileSync } from "node:fs";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { parse } from "graphql";
import { SUBGRAPHS } from "../../core/config/subgraphs.ts";
import { composeSupergraph } from "../../gateway/compose.ts";
import type { LocalSubgraph } from "../../gateway/plan/subgraph.ts";

const SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type EvmAddress @key(fields: "chainId address") { chainId: String! address: Address! label: String! }
  type PrimaryNetworkAddress @key(fields: "network address") { network: Network! address: String! label: String! }
  type ValidatorNode @key(fields: "nodeId") { nodeId: NodeId! label: String! }
  enum Network { MAINNET FUJI TESTNET }
  scalar Address
  scalar NodeId`;

/** The label of an entity: the values of its key, with letters in lower case. */
export const labelOf = (entity: object): string => Object.values(entity).join(" ").toLowerCase();

/** A subgraph of another team, which adds a field to entities that only links lead to. */
export function createLabelsSubgraph(): LocalSubgraph {
  const resolvers = {
    __resolveReference: (key: object) => key,
    label: ({ __typename: _, ...key }: { readonly __typename?: string }) => labelOf(key),
  };
  const schema = buildSubgraphSchema({
    typeDefs: parse(SDL),
    resolvers: { EvmAddress: resolvers, PrimaryNetworkAddress: resolvers, ValidatorNode: resolvers } as never,
  });
  return { name: "labels", schema, context: () => ({}) };
}

/** The supergraph of all subgraphs and this one. */
export const supergraphWithLabels = (): string =>
  composeSupergraph([
    ...SUBGRAPHS.map(({ name }) => ({
      name,
      url: `http://${name}`,
      sdl: readFileSync(`subgraphs/${name}/schema.graphql`, "utf8"),
    })),
    { name: "labels", url: "http://labels", sdl: SDL },
  ]);
