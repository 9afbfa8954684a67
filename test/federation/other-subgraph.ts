import { buildSubgraphSchema } from "@apollo/subgraph";
import { type GraphQLSchema, parse } from "graphql";
import { composeSupergraph } from "../../gateway/compose.ts";
import type { LocalSubgraph } from "../../gateway/plan/subgraph.ts";
import { sdl } from "../../subgraphs/evm/schema.ts";

const SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type Query {
    busiest: [Chain]!
    named: [Named!]!
    failing: Int
  }
  type Named { block: EvmBlock, transaction: EvmTransaction, transfer: Erc20Transfer, token: Erc20Token }
  type Chain @key(fields: "chainId") { chainId: String! averageTps: Float failingTps: Float }
  type EvmBlock @key(fields: "chainId blockNumber", resolvable: false) { chainId: String! blockNumber: Quantity! }
  type EvmTransaction @key(fields: "chainId txHash", resolvable: false) { chainId: String! txHash: Hash! }
  type Erc20Transfer @key(fields: "chainId blockNumber logIndex", resolvable: false) { chainId: String! blockNumber: Quantity! logIndex: Int! }
  type Erc20Token @key(fields: "chainId address", resolvable: false) { chainId: String! address: Address! }
  scalar Quantity
  scalar Hash
  scalar Address`;

/** References to entities of evm, by their keys. */
export interface Named {
  readonly block?: object;
  readonly transaction?: object;
  readonly transfer?: object;
  readonly token?: object;
}

/** A second subgraph: it refers to entities of evm and adds fields to one of them. */
export function createOtherSubgraph(named: readonly Named[]): LocalSubgraph {
  const bug = () => {
    throw new Error("a secret of the other subgraph");
  };
  const schema: GraphQLSchema = buildSubgraphSchema({
    typeDefs: parse(SDL),
    resolvers: {
      Query: { busiest: () => [{ chainId: "760012" }, { chainId: "1" }], named: () => named, failing: bug },
      Chain: {
        __resolveReference: (key: object) => key,
        averageTps: ({ chainId }: { readonly chainId: string }) => Number(chainId) / 2,
        failingTps: bug,
      },
    } as never,
  });
  return { name: "other", schema, context: () => ({}) };
}

/** The supergraph of evm and the other subgraph. */
export const supergraphOfBoth = (): string =>
  composeSupergraph([
    { name: "evm", url: "http://evm", sdl },
    { name: "other", url: "http://other", sdl: SDL },
  ]);
