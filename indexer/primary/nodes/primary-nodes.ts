import type { Config, PrimaryNetworkConfig } from "../../../core/config/config-schema.ts";
import { createRedaction, type Redact } from "../../../core/errors/redaction.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import { nodesOf } from "../../../core/networks/nodes.ts";
import { PRIMARY_CHAINS, type PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { type Clock, SYSTEM_CLOCK } from "../../shared/clock.ts";
import type { NodeStatus } from "../../shared/progress.ts";
import { type ChainNode, createChainNode, watched } from "../../shared/several-nodes/chain-node.ts";
import { ATTEMPTS_OF_SEVERAL } from "../../shared/several-nodes/node-set.ts";
import { createPrimarySource, type PrimarySource } from "../fetch/source.ts";
import { blockAt } from "../identify/identify-network.ts";
import { readGenesis } from "../identify/load-network.ts";
import type { RawBlockChain } from "../network/chains.ts";
import { createChainReader } from "./chain-reader.ts";
import { type IndexedNetwork, NO_INDEXED_NETWORK } from "./indexed-network.ts";
import { createPooledChain } from "./pooled-chain.ts";
import { createPooledVertices } from "./pooled-vertices.ts";
import type { PrimaryNode } from "./primary-node.ts";

/** The nodes of a primary network. */
export interface PrimaryNodes extends AsyncDisposable {
  /** Reads from all nodes. With a single node, its errors are passed on as they are. */
  readonly source: PrimarySource;
  /** Removes the addresses of the nodes and the secrets of their settings from a text. */
  readonly redact: Redact;
  /** What is known of the nodes for a chain, in the order of the settings. */
  status(chain: PrimaryChain): readonly NodeStatus[];
  /** True if the node with this name is quarantined. */
  isQuarantined(name: string): boolean;
}

export interface PrimaryNodesOptions {
  readonly settings: PrimaryNetworkConfig;
  readonly indexing: Pick<Config["indexing"], "requestTimeoutMs" | "maxConcurrency">;
  readonly signal: AbortSignal;
  /** The indexed blocks, with which the nodes are compared. Default: none. */
  readonly indexed?: IndexedNetwork;
  /** Called when the state, the reason or the head of a node has changed for a chain. */
  readonly onChange?: (chain: PrimaryChain, node: ChainNode, before: NodeStatus) => void;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/** Opens no connection before the first call. */
export function createPrimaryNodes(options: PrimaryNodesOptions): PrimaryNodes {
  const {
    settings,
    indexing,
    signal,
    indexed = NO_INDEXED_NETWORK,
    onChange = () => {},
    clock = SYSTEM_CLOCK,
  } = options;
  const { requestTimeoutMs, maxConcurrency } = indexing;
  const configured = nodesOf(settings);
  const isAlone = configured.length === 1;
  const sources = configured.map(({ name, url, headers }) => ({
    name,
    node: createPrimarySource({
      url,
      headers,
      requestTimeoutMs,
      maxConcurrency,
      labels: { chain: String(settings.networkId), node: name },
      signal,
      clock,
      ...(isAlone ? {} : { attempts: ATTEMPTS_OF_SEVERAL }),
    }),
  }));
  const nodesFor = (chain: PrimaryChain): readonly PrimaryNode[] =>
    sources.map(({ name, node }) =>
      createChainNode(
        { name, node, source: createChainReader(node, chain) },
        {
          clock,
          onChange(changed, before) {
            onChange(chain, changed, before);
            if (changed.isQuarantined) quarantineEverywhere(chain, changed);
          },
        },
      ),
    );
  const nodes = { P: nodesFor("P"), X: nodesFor("X"), C: nodesFor("C") };
  /** A node that is wrong about one chain is not trusted about another. */
  const quarantineEverywhere = (wrong: PrimaryChain, { name, status }: ChainNode) => {
    for (const node of PRIMARY_CHAINS.flatMap((chain) => nodes[chain]))
      if (node.name === name && !node.isQuarantined) node.quarantined(`${wrong}-Chain: ${status.reason}`);
  };
  const [first] = sources;
  if (!first) throw new Error("a network has no node");
  return {
    source: isAlone
      ? watchedSource(first.node, (chain) => nodes[chain][0] as PrimaryNode)
      : createPooledSource({ settings, nodes, indexed, clock, signal }),
    redact: createRedaction(...configured),
    status: (chain) => nodes[chain].map(({ status }) => status),
    isQuarantined: (name) => nodes.P.some((node) => node.name === name && node.isQuarantined),
    async [Symbol.asyncDispose]() {
      await Promise.all(sources.map(({ node }) => node[Symbol.asyncDispose]()));
    },
  };
}

interface PooledSourceDeps {
  readonly settings: PrimaryNetworkConfig;
  readonly nodes: Readonly<Record<PrimaryChain, readonly PrimaryNode[]>>;
  readonly indexed: IndexedNetwork;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

function createPooledSource({ settings, nodes, indexed, clock, signal }: PooledSourceDeps): PrimarySource {
  const { networkId } = settings;
  let genesisId: string | null = null;

  async function identify(node: PrimaryNode): Promise<void> {
    const served = await node.node.networkId();
    if (served !== null && served !== networkId)
      return node.quarantined(`it belongs to network ${served}, not ${networkId}`);
    genesisId ??= (await readGenesis(settings)).id;
    const { parentId } = await blockAt(node.node, "P", 0);
    if (parentId !== genesisId) node.quarantined(`its genesis is ${formatId(parentId)}, not ${formatId(genesisId)}`);
  }

  const pooled = (chain: PrimaryChain) =>
    createPooledChain({
      chain,
      nodes: nodes[chain],
      indexed: indexed.chain(chain),
      readsIndex: settings.index !== "off",
      identify,
      clock,
      signal,
    });
  const chains = { P: pooled("P"), X: pooled("X"), C: pooled("C") };
  return {
    // A node is identified before it is used.
    async networkId() {
      await chains.P.set.admitAll();
      return networkId;
    },
    chainId: (chain) => chains[chain].firstAnswer((node) => node.chainId(chain)),
    upgrades: () => chains.P.firstAnswer((node) => node.upgrades()),
    async feeRules() {
      const rules = await chains.P.firstAnswer(async (node) => {
        const known = await node.feeRules();
        return Object.keys(known).length > 0 ? known : null;
      });
      return rules ?? {};
    },
    height: (chain) => chains[chain].height(),
    blocks: (chain, from, to) => chains[chain].blocks(from, to),
    containers: { P: chains.P.containers, X: chains.X.containers, C: chains.C.containers },
    mayOfferIndex: (chain) => chains[chain].hasIndex(),
    vertices: createPooledVertices(chains.X.set, indexed.vertices),
    async [Symbol.asyncDispose]() {},
  };
}

/** The source of a network's only node, which keeps the state of the node up to date. */
function watchedSource(source: PrimarySource, nodeOf: (chain: PrimaryChain) => PrimaryNode): PrimarySource {
  const height = async (chain: RawBlockChain) => {
    const number = await watched(nodeOf(chain), source.height(chain));
    nodeOf(chain).reported(number);
    return number;
  };
  return { ...source, height, blocks: (chain, from, to) => watched(nodeOf(chain), source.blocks(chain, from, to)) };
}
