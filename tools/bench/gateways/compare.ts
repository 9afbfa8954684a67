import { isDeepStrictEqual } from "node:util";
import type { Comparison } from "../answers.ts";
import { type Child, startChild } from "../child.ts";
import { type Candidate, compare } from "../compare.ts";
import { CHAIN_ID, type Subject } from "../database.ts";
import { CONNECTIONS, createTarget, type Load, postOperation, postQuery } from "../load.ts";
import { startServer } from "../start-server.ts";
import type { GatewayInput } from "./gateway.ts";
import type { SubgraphInput } from "./subgraph.ts";

const SUBGRAPH = new URL("subgraph.ts", import.meta.url);
const GATEWAY = new URL("gateway.ts", import.meta.url);
const APOLLO_GATEWAY = new URL("../rivals/apollo-gateway.mjs", import.meta.url);
const API_PROCESSES = 2;
const ATTEMPTS = 10;

/** A rate that two processes can answer on two cores, beside PostgreSQL and this client. */
const PACED_PER_SECOND = 200;

/**
 * Compares servers of the same graph: Apollo Gateway and Moraine's gateway, over the same subgraphs in processes of their own, and Moraine
 * with all subgraphs in one process, and in two on one port. The processor time includes that of the subgraphs.
 *
 * On two cores, two processes are each half idle, and a process that is half idle handles fewer requests in a turn. So one and two processes
 * are also compared with the same number of requests for each process.
 */
export async function compareGateways(url: string, subject: Subject): Promise<Comparison[]> {
  const { evmChains, primaryNetworks } = subject;
  const startSubgraph = (name: SubgraphInput["name"]): Promise<Child> =>
    startChild(SUBGRAPH, { name, url, evmChains, primaryNetworks } satisfies SubgraphInput);
  await using evm = await startSubgraph("evm");
  await using metrics = await startSubgraph("metrics");
  await using primary = await startSubgraph("primary-network");
  const subgraphs = [evm, metrics, primary];
  const urls = { evm: graphqlOf(evm), metrics: graphqlOf(metrics), "primary-network": graphqlOf(primary) };
  await using apollo = await startChild(APOLLO_GATEWAY, { urls } satisfies GatewayInput);
  await using gateway = await startChild(GATEWAY, { urls } satisfies GatewayInput);
  await using single = await startServer({ kind: "moraine", url, evmChains, primaryNetworks });
  await using several = await startServer({
    kind: "moraine",
    url,
    evmChains,
    primaryNetworks,
    processes: API_PROCESSES,
  });
  await using apolloTarget = createTarget(apollo.url);
  await using gatewayTarget = createTarget(gateway.url);
  await using singleTarget = createTarget(single.url);
  await using severalTarget = createTarget(several.url);
  const servers = [
    { name: "Apollo Gateway", server: withSubgraphs(apollo, subgraphs), target: apolloTarget },
    { name: "Moraine, separate processes", server: withSubgraphs(gateway, subgraphs), target: gatewayTarget },
    { name: "Moraine, one process", server: single, target: singleTarget },
    { name: "Moraine, two API processes", server: several, target: severalTarget },
  ];
  await using singlePaced = createTarget(single.url, { requestsPerSecond: PACED_PER_SECOND });
  await using severalPaced = createTarget(several.url, {
    connections: API_PROCESSES * CONNECTIONS,
    requestsPerSecond: API_PROCESSES * PACED_PER_SECOND,
  });
  const paced = [
    { name: "Moraine, one process", server: single, target: singlePaced },
    { name: "Moraine, two API processes", server: several, target: severalPaced },
  ];
  const comparisons: Comparison[] = [];
  for (const [name, load] of Object.entries(requests(subject))) {
    const candidates = servers.map((server) => ({ ...server, load }));
    await assertEqual(name, load, candidates);
    comparisons.push({ name, figures: await compare(candidates) });
    comparisons.push({
      name: `${name}; ${PACED_PER_SECOND}/s each`,
      figures: await compare(paced.map((server) => ({ ...server, load }))),
    });
  }
  return comparisons;
}

const graphqlOf = ({ url }: Child): string => `${url}/graphql`;

/** A gateway whose processor time includes that of its subgraphs. */
function withSubgraphs(gateway: Child, subgraphs: readonly Child[]): Child {
  return {
    ...gateway,
    async cpuMs() {
      const times = await Promise.all([gateway, ...subgraphs].map((child) => child.cpuMs()));
      return times.reduce((sum, time) => sum + time, 0);
    },
  };
}

const NESTED = `query ($chainId: String!) {
  evmBlocks(chainId: $chainId, first: 10) {
    blocks: nodes { blockNumber blockHash transactions(first: 5) { transactions: nodes { txHash value } } }
  }
}`;
const THREE_SUBGRAPHS = `query ($chainId: String!) {
  chain(chainId: $chainId) {
    chainName
    totals { blocks transactions addresses contracts }
    blockchain { blockchainName vmId subnetId subnet { isL1 threshold } }
  }
}`;
const HOLDERS = `query ($chainId: String!, $address: Address!) {
  erc20Token(chainId: $chainId, address: $address) {
    name
    holders(first: 50) { holders: nodes { balance evmAddress { address contract { address } } } }
  }
}`;

function requests({ address, token }: Subject): Readonly<Record<string, Load>> {
  const transfers = (pageSize: number) =>
    postOperation("list-erc20-transfers", { chainId: CHAIN_ID, address, pageSize });
  return {
    "list: E9, 10 rows": transfers(10),
    "list: E9, 100 rows": transfers(100),
    "nested: transactions of 10 blocks": postQuery(NESTED, { chainId: CHAIN_ID }),
    "three subgraphs: a chain": postQuery(THREE_SUBGRAPHS, { chainId: CHAIN_ID }),
    "two subgraphs, twice: 50 holders": postQuery(HOLDERS, { chainId: CHAIN_ID, address: token }),
  };
}

/** Throws if the servers return different data in all of ten attempts, or errors. Page tokens contain the current second. */
async function assertEqual(name: string, load: Load, candidates: readonly Candidate[]): Promise<void> {
  let texts: string[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    texts = await Promise.all(candidates.map(({ target }) => target.ask(load)));
    const [first, ...others] = texts.map((text): unknown => JSON.parse(text));
    const hasErrors = texts.some((text) => text.includes('"errors"'));
    if (!hasErrors && others.every((other) => isDeepStrictEqual(first, other))) return;
  }
  throw new Error(
    `${name}: the answers differ or have errors:\n${texts.map((text) => text.slice(0, 2_000)).join("\n")}`,
  );
}
