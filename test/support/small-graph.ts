import { QueryPlanner } from "@graphql-hive/router-query-planner";
import { buildSchema, execute, GraphQLError, parse, validate } from "graphql";
import { Failure, isFailureCode } from "../../core/errors/errors.ts";
import type { GraphClient } from "../../core/graph/graph-client.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";

type Resolver = (args: Record<string, unknown>) => unknown;

const SDL = new QueryPlanner(committedSupergraph()).consumerSchema;

/**
 * The public graph with functions as resolvers. By default each returns one empty page or chain, and a `chainId` that
 * is an error code of the graph fails with that code.
 */
export function createSmallGraph(resolvers: Readonly<Record<string, Resolver>> = {}): GraphClient {
  const schema = buildSchema(SDL, { assumeValid: true });
  const rootValue = { ...DEFAULTS, ...resolvers };
  return {
    schema,
    prepare(text) {
      const document = parse(text);
      const [wrong] = validate(schema, document);
      if (wrong) throw wrong;
      return async (variableValues) => execute({ schema, document, rootValue, variableValues });
    },
  };
}

/** The fields of the small graph's chain, without its id. */
export const SMALL_CHAIN = {
  status: "OK",
  chainName: "Small",
  description: "",
  vmName: "EVM",
  rpcUrl: "",
  isTestnet: true,
  networkToken: { name: "Avalanche", symbol: "AVAX", decimals: 18 },
  private: false,
  enabledFeatures: [],
};

const DEFAULTS: Readonly<Record<string, Resolver>> = {
  chains: () => ({ chains: [] }),
  chain: (args) => ({ ...SMALL_CHAIN, chainId: failedAsAsked(args) }),
  evmBlocks: (args) => failedAsAsked(args) && { nodes: [] },
  averageTps: (args) => failedAsAsked(args) && { nodes: [], lastRun: 5 },
  chainMetric: (args) => failedAsAsked(args) && { nodes: [] },
  erc20Transfers: (args) => failedAsAsked(args) && { nodes: [] },
};

function failedAsAsked({ chainId }: Record<string, unknown>): string {
  const code = String(chainId);
  if (isFailureCode(code)) throw new Failure(code, `secret of ${code}`);
  if (/^[A-Z_]+$/.test(code)) throw new GraphQLError(`secret of ${code}`, { extensions: { code } });
  return code;
}
